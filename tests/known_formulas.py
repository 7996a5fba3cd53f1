"""The formulas of claims and documents, computed from the closed forms of a known device (tests/known_device). tests/report.c
tests the functions that are not here."""
import math, re
from known_results import fastest


class Value:
    """A number and the ends of its interval."""

    def __init__(self, is_, low, high):
        self.v = [is_, low, high]

    def combine(self, other, f):
        other = other if isinstance(other, Value) else Value(other, other, other)
        ends = [f(a, b) for a in self.v[1:] for b in other.v[1:]]
        return Value(f(self.v[0], other.v[0]), min(ends), max(ends))

    __add__ = lambda s, o: s.combine(o, lambda a, b: a + b)
    __sub__ = lambda s, o: s.combine(o, lambda a, b: a - b)
    __mul__ = lambda s, o: s.combine(o, lambda a, b: a * b)
    __truediv__ = lambda s, o: s.combine(o, lambda a, b: a / b if b else math.inf)
    __radd__, __rmul__ = __add__, __mul__
    __rsub__ = lambda s, o: Value(o, o, o) - s
    __rtruediv__ = lambda s, o: Value(o, o, o) / s


def functions(d):
    """What a formula can name. LookupError means that something was not measured."""
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

    def cost(file, variant, blocks):
        p = pick(file, variant, blocks)
        return time(p, True) - time(pick(file, "none", p["blocks"]), True)

    def chain(variant, warps):
        p = d.find("micro-producer-consumer", variant, threads=32 * warps)
        if not p:
            raise LookupError(variant)
        return time(p, False, 1e-6 * d.clock)

    def greatest(first, *rest):
        for v in rest:
            first = first.combine(v, max)
        return first

    def wrong(file, variant=None):
        if file not in d.files:
            raise LookupError(file)
        rows = [p for p in d.points(file) if not p["ordered"] and p["variant"] not in ("none", "none-cold") and p["blocks"] > 1
                and variant in (None, p["variant"])]
        share = 100 * sum(not p["verified"] for p in rows) / len(rows)
        return Value(share, share, share)

    def analysis(file, path, factor=1):
        value = d.files[file].get("analysis", {}) if file in d.files else {}
        for name in path.split("."):
            value = value[name]
        return Value(*[value * factor] * 3)

    ms = 10 * (1e6 / d.clock if d.machine else 1e-3)
    return {"barrier": cost, "round": lambda f, v, b: time(pick(f, v, b), True), "total": lambda f, v, b: time(pick(f, v, b), False, 1e-3),
            "of_size": lambda f, v, n: time(pick(f, v, "best", n), False), "chain": chain, "wrong": wrong, "max": greatest,
            "analysis": analysis, "ms10000": lambda f, p: analysis(f, p, ms),
            "all": "all", "best": "best", "any": "any", "largest": "largest"}


def value_of(d, formula):
    """[value, low, high]; LookupError or NameError without one."""
    def first(match):  # the first of the alternative sweeps that was measured
        names = [match[1] if sweep == "main" else match[1] + "@" + sweep for sweep in match[2].split(",")]
        return "'%s'" % next((n for n in names if n in d.files), names[0])

    formula = re.sub(r"'([a-z-]+)@([a-z0-9,-]+)'", first, formula)
    formula = re.sub(r"\b(best:[a-z-]+)", r"'\1'", re.sub(r"\bfrom\(", "from_(", formula))
    return eval(formula, {"__builtins__": {}}, functions(d)).v
