"""The committed results of the memory machine: what they hold, and how each of their points is made again.

tests/stale and scripts/renew use it. A sweep is made again by the command that sweeps.txt gives for it, and not by the
command that the result file quotes: a row that has changed since makes the result stale, too."""
import glob, json, os, re, subprocess

top = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
build = os.environ.get("BUILD", "build")  # relative to `top`, which results then name
reference = "results/reference"
SCHEMA = "gpusync-result/1"
# How many requests of warps, instructions of warps and starts of threads the machine serves in a second, on a slow core (SHOW_TIMES=1
# tests/stale shows how good that is). It is only used to choose and to order.
REQUESTS, INSTRUCTIONS, THREADS = 4e5, 4e7, 1e5


class Sweep:
    """One sweep of one result file. `name` is FILE or FILE@SWEEP, as tests/regressions writes it."""

    def __init__(self, path, sweep, result):
        self.path, self.sweep, self.result = path, sweep, result
        self.name = path.removesuffix(".json") + ("" if sweep == "main" else "@" + sweep)
        self.folder = os.path.dirname(path)
        self.program = os.path.basename(result["command"][0])
        self.device = result["device"]["name"]
        self.points = result["points"]

    @property
    def is_prediction(self):
        return os.path.basename(self.folder) == "predicted"

    def command(self, json_path, *options):
        """The command that makes the sweep, and writes it to json_path."""
        program = [os.path.join(build, "machine", self.program)]
        if os.path.basename(self.folder) == "memory-machine":  # not made by rows of sweeps.txt
            words, kept = self.result["command"][1:], []
            while words:
                word = words.pop(0)
                if word == "--json":
                    words.pop(0)
                elif word not in ("--force", "--resume", "--quiet"):
                    kept.append(word)
        else:
            preset = f"machine/presets/{self.device}.json" if self.is_prediction else self.device
            kept = ["--device", preset, "--sweep", self.sweep, "--extent", "predicted" if self.is_prediction else "full"]
        return program + kept + ["--json", json_path, "--force", "--quiet", *options]

    @property
    def renewed_by(self):
        if os.path.basename(self.folder) == "memory-machine":
            return f"make renew DEVICE=memory-machine PROGRAM={self.program}"
        device = os.path.basename(os.path.dirname(self.folder) if self.is_prediction else self.folder)
        return f"make renew DEVICE={device} PROGRAM={self.program}"


def is_of_machine(result):
    return result["device"]["kind"] == "machine"


def sweeps_of(path, top=top):
    """The sweeps of the memory machine in a result file."""
    with open(os.path.join(top, path)) as file:
        result = json.load(file)
    if result.get("schema") != SCHEMA:
        return []
    sweeps = dict(result.pop("sweeps", {}))
    if "points" in result:
        sweeps = {"main": result, **sweeps}
    return [Sweep(path, name, sweep) for name, sweep in sweeps.items() if is_of_machine(sweep)]


def result_files():
    """Every committed file that has results of the memory machine, of any schema."""
    patterns = ("machine-*/*.json", "memory-machine/*.json", "*/predicted/*.json")
    return sorted(os.path.relpath(path, top) for p in patterns for path in glob.glob(os.path.join(top, reference, p)))


def numbers(sweep):
    """What must come out the same: all of a sweep except what tells when, where and from which sources it was made, which
    constants the preset had (those that count change a point) and why other variants are left out."""
    ignored = ("schema", "command", "created", "host", "revision", "dirty", "sweeps", "skipped")
    ours = {k: v for k, v in sweep.items() if k not in ignored}
    ours["device"] = {k: v for k, v in sweep["device"].items() if k != "description"}
    return ours


def key(point):
    return point["variant"], point["blocks"], point["threads"], point["size"]


def cost(point):
    """About how many seconds a processor needs for a point, from its size and from what the machine counted."""
    counters = point.get("counters", {})
    return len(point["samples"]) * point.get("repeats", 1) * (
        counters.get("requests", 0) / REQUESTS + counters.get("instructions", 0) / INSTRUCTIONS +
        point["blocks"] * point["threads"] / THREADS)


def depends_on_others(sweep, point):
    """Returns whether a point may come out otherwise when it is measured alone: without an ordered barrier a kernel reads
    what earlier points left in memory, and with --memory random a litmus test goes on with the numbers of the test before."""
    return point.get("verified") is False or sweep.program == "micro-litmus"


def said(point):
    return "{} with {} blocks of {} threads, size {}".format(*key(point))


def difference(was, now, at=""):
    """Where two JSON values differ first, as a sentence; None if they are equal."""
    if isinstance(was, dict) and isinstance(now, dict):
        for name in [*was, *(n for n in now if n not in was)]:
            found = difference(was.get(name), now.get(name), f"{at}.{name}" if at else name)
            if found:
                return found
    elif isinstance(was, list) and isinstance(now, list) and len(was) == len(now):
        for i, (a, b) in enumerate(zip(was, now)):
            found = difference(a, b, f"{at}[{i}]")
            if found:
                return found
    elif was != now or isinstance(was, bool) != isinstance(now, bool):
        return f"{at} was {json.dumps(was)[:100]} and is {json.dumps(now)[:100]}"
    return None


def differences(old, new):
    """The differences between a sweep as it is committed and as it came out, one sentence each: first those of points."""
    found, again = [], {key(p): p for p in new["points"]}
    for point in old["points"]:
        now = again.pop(key(point), None)
        what = "is not measured any more" if now is None else difference(point, now)
        if what:
            found.append(f"{said(point)}: {what}")
    found += [f"{said(point)}: is new" for point in again.values()]
    rest = difference({k: v for k, v in numbers(old).items() if k != "points"},
                      {k: v for k, v in numbers(new).items() if k != "points"})
    return found + ([rest] if rest else [])


def built_from(program):
    """The revision that a program was built from, and whether the tree had changes: as its results name it."""
    said = subprocess.run([os.path.join(build, "machine", program), "--version"], capture_output=True, text=True, check=True).stdout
    revision, changed = re.search(r"\(([^,)]*)(, changed)?\)", said).groups()
    return revision, bool(changed)


def read_sweep(path, sweep):
    """A sweep of a result file."""
    with open(path) as file:
        result = json.load(file)
    return result["sweeps"][sweep] if "sweeps" in result and sweep in result["sweeps"] else result


def journal_of(path, sweep):
    return path + ("" if sweep == "main" else "." + sweep) + ".partial"


def host():
    """The host, as results describe it (harness/conditions.c)."""
    with open("/proc/cpuinfo") as file:
        processor = re.search(r"^model name\s*: (.*)", file.read(), re.M)
    return {"processor": processor[1] if processor else "unknown", "processors": os.sysconf("SC_NPROCESSORS_ONLN"),
            "system": os.uname().sysname, "release": os.uname().release}


def write_points(path, sweep, header, points):
    """Writes the journal of a run that has these points, and the members of `header` that a journal has."""
    names = ("schema", "experiment", "family", "revision", "dirty", "device", "host", "parameters")
    with open(journal_of(path, sweep), "w") as file:
        file.writelines(json.dumps(line) + "\n" for line in [{k: header[k] for k in names}, *points])


def write_journal(path, sweep, drawn):
    """Writes the journal of a run that lacks only the drawn points, so that the program measures these alone (--resume), and
    computes all else of the sweep from all points, as at first. The program refuses the journal, and names the difference, if the
    sweep has other options today; the preset, whose changes a point shows if they count, is today's."""
    now, dirty = built_from(sweep.program)
    header = sweep.result | {"revision": now, "dirty": dirty, "host": host()}
    with open(os.path.join(top, "machine/presets", sweep.device + ".json")) as file:
        preset = json.load(file)
    device = header["device"] = dict(header["device"])
    device["description"] = {**preset, **{k: v for k, v in device["description"].items() if k not in preset}}
    if "clock_hz" in preset:
        device["clock_hz"] = preset["clock_hz"]
    write_points(path, sweep.sweep, header, [p for p in sweep.points if key(p) not in drawn])
