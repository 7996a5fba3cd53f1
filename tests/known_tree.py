"""A scratch tree with the results of the known devices (tests/known_device), and what build/report prints there."""
import json, math, os, re, shutil, subprocess
from holds import holds, scratch_folder
from known_results import A, B, M, TWIN

top = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

tree = scratch_folder()
# report reads the suite's data files from `data`: copies of the suite's files, except the papers' claims
data = scratch_folder()
environment = dict(os.environ, GPUSYNC_DATA=data)
os.makedirs(os.path.join(data, "results"))
for name in ("plots", "machine", "results/reference"):
    os.symlink(os.path.join(top, name), os.path.join(data, name))
for name in ("plots", "results/reference"):
    os.makedirs(os.path.join(tree, name))
for name in os.listdir(os.path.join(top, "plots")):
    if name.endswith(".gp"):
        shutil.copy(os.path.join(top, "plots", name), os.path.join(tree, "plots"))
shutil.copytree(os.path.join(top, "results/papers"), os.path.join(data, "results/papers"))
paper_claims = os.path.join(data, "results/papers/claims.json")
with open(paper_claims) as file:
    whole_claims = json.load(file)


def write_claims(rest_on_sizes):
    """Writes the papers' claims into `data`, and lets them rest on the sizes that they need or on none. The known devices have
    small problems."""
    claims = dict(whole_claims)
    if not rest_on_sizes:
        claims["sizes"] = {}
        claims["claims"] = [{key: c[key] for key in c if key != "size"} for c in claims["claims"]]
    with open(paper_claims, "w") as file:
        json.dump(claims, file)


write_claims(rest_on_sizes=False)
for device in (A, B, M, TWIN):  # with a file that is no result
    folder = os.path.join(tree, "results/reference", device.folder)
    os.makedirs(folder)
    with open(os.path.join(folder, "notes.json"), "w") as out:
        out.write('{"schema": "notes/1"}')
    whole = {}  # by file: the main sweep, with the other sweeps in it
    for file, result in sorted(device.files.items()):
        name, _, sweep = file.partition("@")
        whole.setdefault(name, {"schema": "gpusync-result/1"})
        if sweep:
            whole[name].setdefault("sweeps", {})[sweep] = result
        else:
            whole[name].update(result)
    for name, result in whole.items():
        with open(os.path.join(folder, name + ".json"), "w") as out:
            json.dump(result, out)


def report(*words, status=0):
    done = subprocess.run([os.path.join(top, "build/report"), *words], cwd=tree, env=environment, capture_output=True, text=True)
    if done.returncode != status:
        holds("report " + " ".join(words) + " ends with %d" % status, False, (done.returncode, done.stderr))
    return done.stdout


def table(d, name):
    """The tables that report prints under this name, each a list of rows."""
    text = report(name, "results/reference/" + d.folder, "json", *(["--all"] if name == "claims" else []))
    tables = json.loads(text or "[]")
    tables = tables if not tables or isinstance(tables[0], list) else [tables]
    glued = ("x", "%")  # units that a table prints without a blank
    cell = lambda value: "-" if value is None else "%s%s%s" % (value["value"], "" if value["unit"] in glued else " ", value["unit"]) \
        if isinstance(value, dict) else value
    return [[list(rows[0])] + [[cell(value) for value in row.values()] for row in rows] if rows else [[]] for rows in tables]


def shown(cell, value, digits):
    """Whether the cell shows the value with this number of digits after the point."""
    cell = str(cell)
    if value is None or not math.isfinite(value):
        return cell.startswith("-")
    found = re.match(r"-?[0-9.]+", cell)
    return bool(found) and abs(float(found.group()) - value) <= 0.5 * 10 ** -digits + 1e-9 * abs(value)


def numbers(text):
    return [float(n) for n in re.findall(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?", text)]


def close(a, b, off=1e-6):
    return abs(a - b) <= off * max(abs(a), abs(b), 1e-12)
