"""The formulas of claims and documents, computed from the closed forms of a known device (tests/known_device)."""
import json, math, os, re
from known_results import fastest

top = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


any_, all_, best, largest = "any", "all", "best", "largest"


class Formulas:
    """Computes a claim's formula from the closed forms: [value, low, high]. LookupError means that something was not measured."""

    def __init__(self, d):
        self.d = d

    def names(self):
        d = self.d

        class Value:
            def __init__(s, is_, low, high):
                s.v = [is_, low, high]

            def combine(s, o, f):
                o = o if isinstance(o, Value) else Value(o, o, o)
                ends = [f(a, b) for a in s.v[1:] for b in o.v[1:]]
                return Value(f(s.v[0], o.v[0]), min(ends), max(ends))

            __add__ = lambda s, o: s.combine(o, lambda a, b: a + b)
            __sub__ = lambda s, o: s.combine(o, lambda a, b: a - b)
            __mul__ = lambda s, o: s.combine(o, lambda a, b: a * b)
            __truediv__ = lambda s, o: s.combine(o, lambda a, b: a / b if b else math.inf)
            __radd__, __rmul__ = __add__, __mul__
            __rsub__ = lambda s, o: Value(o, o, o) - s
            __rtruediv__ = lambda s, o: Value(o, o, o) / s

        def exactly(v):
            return Value(v, v, v)

        def pick(file, variant, blocks, size=None):
            if file not in d.files:
                raise LookupError(file)
            if str(blocks).startswith("best:"):  # the number of blocks with which another variant is fastest
                blocks = pick(file, blocks[5:], "best")["blocks"]
            if blocks == "best":
                p = fastest(d, file, lambda p: p["variant"] == variant and size in (None, p["size"]))
            elif blocks == "largest":
                p = max((p for p in d.points(file) if p["variant"] == variant), key=lambda p: p["size"], default=None)
            else:
                p = d.find(file, variant, None if blocks == "any" else d.sms if blocks == "all" else blocks, size)
            if not p:
                raise LookupError(variant)
            return p

        def time(p, each, factor=1):
            return Value(*[factor * t for t in [d.each(p) if each else d.us(p)] + d.ends(p, each)])

        def compare(file, a, b):
            for p in sorted(d.points(file), key=lambda p: p["blocks"]):
                other = d.find(file, b, p["blocks"], p["size"])
                if p["variant"] == a and other:
                    yield p["blocks"], (d.each if file.startswith("micro-") else d.us)(p) > \
                        (d.each if file.startswith("micro-") else d.us)(other)

        def crossing(file, a, b):
            orders = []
            for p in sorted(d.points(file), key=lambda p: p["blocks"]):
                other = d.find(file, b, p["blocks"], p["size"])
                if p["variant"] == a and other and p["blocks"] <= d.sms:
                    x, y = (d.ends(q, file.startswith("micro-")) for q in (p, other))
                    orders.append((p["blocks"], (x[0] > y[1]) - (x[1] < y[0])))
            last_faster = max((n for n, order in orders if order < 0), default=0)
            slower = [n for n, order in orders if order > 0 and n > last_faster]
            return exactly(math.inf if not slower else slower[0] if last_faster else -math.inf)

        def slower(file, a, b, fewest=0, most=math.inf):
            longer = [is_longer for n, is_longer in compare(file, a, b) if fewest <= n <= most]
            if not longer:
                raise LookupError(a)
            return exactly(sum(longer))

        def from_(file, a, b):
            slower(file, a, b)
            last_not = max((n for n, is_longer in compare(file, a, b) if not is_longer), default=0)
            return exactly(min((n for n, is_longer in compare(file, a, b) if is_longer and n > last_not), default=math.inf))

        def greatest(*values):
            first, *rest = values
            for v in rest:
                first = first.combine(v, max)
            return first

        def in_range(file, variant, range_):
            """The numbers of blocks with their times [us, low, high], less those of another variant if the range names one."""
            less, least, most = range_ if len(range_) == 3 else (None, *range_)
            micro, found = file.startswith("micro-"), []
            for p in d.points(file) if file in d.files else []:
                if p["variant"] == variant and least <= p["blocks"] <= most:
                    is_, (low, high) = (d.each if micro else d.us)(p), d.ends(p, micro)
                    if less:
                        q = d.find(file, less, p["blocks"], p["size"])
                        is_, low, high = is_ - (d.each if micro else d.us)(q), low - d.ends(q, micro)[1], high - d.ends(q, micro)[0]
                    found.append((p["blocks"], (is_, low, high)))
            if not found:
                raise LookupError(variant)
            return found

        def largest_quotient(file, variant, range_, counts):
            found = in_range(file, variant, range_)
            pairs = [(x, y) for n, x in found for m, y in found if counts(n, m)]
            if any(y[0] <= 0 for _, y in pairs):
                raise LookupError(variant)
            x, y = max(pairs, key=lambda pair: pair[0][0] / pair[1][0], default=((1, 1, 1), (1, 1, 1)))
            return Value(x[0] / y[0], x[1] / y[2], x[2] / y[1]) if x[0] > y[0] else exactly(1)

        def rise(file, variant, *range_):
            return largest_quotient(file, variant, range_, lambda n, m: n > m)

        def fall(file, variant, *range_):
            return largest_quotient(file, variant, range_, lambda n, m: n < m)

        def spread(file, variant, *range_):
            return largest_quotient(file, variant, range_, lambda n, m: n != m)

        def least_at(file, variant, least, most):
            return exactly(min(in_range(file, variant, (least, most)), key=lambda found: found[1][0])[0])

        def beaten(file, variant, others, least, most):
            count = 0
            for n, (is_, _, _) in in_range(file, variant, (least, most)):
                times = [t[0] for other in others.split() for m, t in in_range(file, other, (n, n))]
                count += any(is_ > 1.01 * t for t in times)
            return exactly(count)

        def wrong(file, variant=None):
            if file not in d.files:
                raise LookupError(file)
            rows = [p for p in d.points(file) if not p["ordered"] and p["variant"] not in ("none", "none-cold") and p["blocks"] > 1
                    and variant in (None, p["variant"])]
            return exactly(100 * sum(not p["verified"] for p in rows) / len(rows))

        def analysis(file, path, factor=1):
            value = d.files[file].get("analysis", {}) if file in d.files else {}
            for name in path.split("."):
                value = value[name]
            return exactly(value * factor)

        def fastest_run(file, variant, fewest, most):
            points = [p for p in d.files.get(file, {"points": []})["points"] if p["variant"] == variant and fewest <= p["blocks"] <= most]
            if not points:
                raise LookupError(variant)
            return time(min(points, key=d.us), False, 1e-3)

        def of_warps(variant, warps, name):
            value = pick_threads(d, variant, 32 * warps)
            for part in name.split("."):
                value = value[part]
            return exactly(value)

        def model(kernel, name):
            """Wang's Equations 7 and 8, with the instructions of an iteration that the machine of the Titan X counted."""
            file, variant = {"S": "swat-batch", "P": "pairhmm"}[kernel[0]], {"1": "shared", "2": "shuffle"}[kernel[2]]
            p, kernels = pick(file, variant, "largest"), [counted(file, variant, n) for n in (0, 1)]
            each = {n: (kernels[1][n] - kernels[0][n]) / 64 for n in ("shared_loads", "shared_stores", "shuffles", "block_barriers")}
            latency = {n: v["latency"] for n, v in d.files["micro-latency"]["analysis"].items()}
            resident = p["kernel"]["blocks_per_sm"] * p["kernel"]["threads"]
            return exactly({
                "loads": each["shared_loads"], "stores": each["shared_stores"], "shuffles": each["shuffles"],
                "syncs": each["block_barriers"], "occupancy": 100 * resident / 2048,
                "latency_of_resident": resident * d.sms * d.clock * d.each(p) * 1e-6,
                "latency": min(65536 / p["kernel"]["registers"], d.files[file]["device"]["shared_bytes_per_sm"] / p["kernel"]["shared_bytes"] * p["kernel"]["threads"])
                * d.sms * d.clock * d.each(p) * 1e-6,
                "estimated": {"SW2": 4, "PH2": 61}.get(kernel, 0) * latency["register"] + (each["shared_loads"] + each["shared_stores"]) * latency["shared"] + each["shuffles"] * latency["shuffle-up-1"]
                + each["block_barriers"] * latency["syncthreads-4" if kernel == "PH1" else "syncthreads-1"]}[name])

        def clock(file):
            if file not in d.files:
                raise LookupError(file)
            return exactly(1e-9 * d.clock)

        def reference(file):
            if file not in d.files:
                raise LookupError(file)
            return exactly(1e-6 * d.files[file]["reference"]["median"])

        def field(file, variant, name, size="any"):
            p = pick(file, variant, "largest" if size == "largest" else "any", None if size in ("any", "largest") else size)
            value = p
            for part in name.split("."):
                value = value[part]
            return exactly(value * (d.clock * 1e-9 if d.machine and name.startswith("rate") else 1))

        def barrier(file, variant, blocks):
            p = pick(file, variant, blocks)
            return time(p, True) - time(pick(file, "none", p["blocks"]), True)

        ms = 10 * (1e6 / d.clock if d.machine else 1e-3)
        return {"barrier": barrier, "round": lambda f, v, b: time(pick(f, v, b), True), "total": lambda f, v, b: time(pick(f, v, b), False, 1e-3),
                "of_size": lambda f, v, n: time(pick(f, v, "best", n), False), "crossing": crossing,
                "chain": lambda v, w: time(pick_threads(d, v, 32 * w), False, 1e-6 * d.clock),
                "flat": lambda f, v: spread(f, v, 9, 30), "rise": rise, "fall": fall, "spread": spread, "least_at": least_at,
                "beaten": beaten, "wrong": wrong,
                "fastest": fastest_run, "of_warps": of_warps, "model": model, "clock": clock, "max": greatest, "slower": slower, "from_": from_,
                "analysis": analysis, "ms10000": lambda f, p: analysis(f, p, ms), "reference": reference, "field": field,
                "all": "all", "best": "best", "any": "any", "largest": "largest"}

    def value(self, formula):
        def first(match):  # the first of the alternative sweeps that was measured
            names = [match[1] if sweep == "main" else match[1] + "@" + sweep for sweep in match[2].split(",")]
            return "'%s'" % next((n for n in names if n in self.d.files), names[0])

        formula = re.sub(r"'([a-z-]+)@([a-z0-9,-]+)'", first, formula)
        formula = re.sub(r"\b(best:[a-z-]+)", r"'\1'", re.sub(r"\bfrom\(", "from_(", formula))
        return eval(formula, {"__builtins__": {}}, self.names()).v


def counted(file, variant, which):
    """The counters of the Titan X's machine, in one of two runs that differ by 64 iterations."""
    with open(os.path.join(top, "results/reference/machine-titanx", file + ".json")) as counts:
        sweep = {"swat-batch": ("counts-96", "counts-160"), "pairhmm": ("counts-64", "counts-128")}[file][which]
        return next(p["counters"] for p in json.load(counts)["sweeps"][sweep]["points"] if p["variant"] == variant)


def pick_threads(d, variant, threads):
    p = d.find("micro-producer-consumer", variant, threads=threads)
    if not p:
        raise LookupError(variant)
    return p


# The variant from whose points a number of the analysis is computed.
VARIANTS_OF_NUMBERS = (("equation_6", "lock-based"), ("equation_7", "lock-free"), ("section_6.t_c", "lock-based"))


def wrong_variant(d, formula):
    """The first unordered variant of the formula that gave wrong answers in the result that is named before it, or None."""
    file = None
    for name in re.findall(r"'([^']*)'", "" if "wrong(" in formula else formula):
        resolved = next((n for n in (name, *(name.split("@")[0] if s == "main" else name.split("@")[0] + "@" + s
                                             for s in name.partition("@")[2].split(","))) if n in d.files), None)
        name = next((v for number, v in VARIANTS_OF_NUMBERS if name.startswith(number)), name)
        if file and any(p["variant"] == name and not p["ordered"] and not p["verified"] and name not in ("none", "none-cold")
                        for p in d.points(file)):
            return name
        file = resolved or file
    return None
