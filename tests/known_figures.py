"""The data of every figure of a known device, computed from the closed forms (tests/known_device)."""
import math, os, re
from holds import holds
from known_results import PARTS, PLAIN, barrier, fastest, is_barrier, is_good
from known_tree import close, tree


def drawn(d, name):
    """The data sets of a figure by their names in gnuplot, or the rows of a figure of bars."""
    stem = os.path.join(tree, "plots/reference", d.folder, name)
    with open(stem + ".set") as settings:
        names = re.search(r"^names = '(.*)'", settings.read(), re.M).group(1).split()
    with open(stem + ".dat") as data:
        text = data.read()
    if text.startswith('"'):
        return [row.split("\t") for row in text.splitlines()]
    sets = [[[float(c) for c in row.split("\t") if not c.startswith('"')] for row in part.strip("\n").split("\n") if row]
            for part in re.split(r"\n\n\n?", text)]
    return dict(zip(names, sets)) if len(sets) <= len(names) + 1 else (names, sets)


def check_curves(d, figure, file, x, y, want=lambda p: True):
    sets, wrong, count = drawn(d, figure), [], 0
    for variant, rows in sets.items():
        expected = sorted([x(p)] + y(p) for p in d.points(file) if p["variant"] == variant and want(p))
        count += len(rows)
        if len(rows) != len(expected) or not all(close(a, b) for r, e in zip(rows, expected) for a, b in zip(r, e)):
            wrong.append((variant, rows[:2], expected[:2]))
    holds("%s: %s has every point" % (d.folder, figure), count and not wrong, wrong)
    check_dashes(d, figure, file)


def check_dashes(d, figure, file):
    """Lines of ordered variants are solid, others are dashed."""
    with open(os.path.join(tree, "plots/reference", d.folder, figure) + ".set") as settings:
        names, dashes = (re.search("^%s = '(.*)'" % key, text, re.M).group(1).split()
                         for text in [settings.read()] for key in ("names", "dashes"))
    ordered = {p["variant"]: p["ordered"] for p in d.points(file)}
    holds("%s: %s has lines as solid as they are ordered" % (d.folder, figure),
          dashes == ["1" if ordered[n] else "2" for n in names], (names, dashes))


def check_labels(d, figure, is_plain):
    """A paper's figure has the papers' names of methods, any other figure the plain ones."""
    with open(os.path.join(tree, "plots/reference", d.folder, figure) + ".set") as settings:
        text = settings.read()
    names = re.search("^names = '(.*)'", text, re.M).group(1).split()
    labels = re.findall('"([^"]*)"', re.search("^labels = '(.*)'", text, re.M).group(1))
    holds("%s: %s has %s names" % (d.folder, figure, "plain" if is_plain else "the paper's"),
          labels == [PLAIN.get(n, n) if is_plain else n for n in names] and set(names) & set(PLAIN), labels)


def timed(d, factor, each):
    return lambda p: [factor * t for t in [d.each(p) if each else d.us(p)] + d.ends(p, each)]


def as_fast_as(d, file, base, each):
    """The time of the variant `base` at the same size over the time of the point, with the ends of the quotient."""
    def y(p):
        other = d.find(file, base, size=p["size"])
        time, ends, others = d.each if each else d.us, d.ends(p, each), d.ends(other, each)
        return [time(other) / time(p), others[0] / ends[1], others[1] / ends[0]]
    return y


def over_none(d, file, factor):
    def y(p):
        none = d.find(file, "none", p["blocks"])
        ends, others = d.ends(p), d.ends(none)
        return [factor * t for t in (d.us(p) - d.us(none), ends[0] - others[1], ends[1] - others[0])]
    return y


def check_bars(d, figure, expected):
    rows = drawn(d, figure)
    is_same = len(rows) == len(expected) and all(
        r[0].strip('"') == name and all(close(float(r[at]), value) for at, value in values.items())
        for r, (name, values) in zip(rows, expected))
    holds("%s: %s has every bar" % (d.folder, figure), is_same, (rows[:2], expected[:2]))


def by_blocks(p):
    return p["blocks"]


def by_size(p):
    return p["size"]


def check_figures(d):
    full = lambda p: p["blocks"] <= d.sms
    check_curves(d, "micro-barrier-figure8", "micro-barrier", by_blocks, timed(d, 10, True), full)
    check_curves(d, "micro-barrier-figure3", "micro-barrier", by_blocks, timed(d, 10, True), full)
    check_curves(d, "micro-barrier-all", "micro-barrier", by_blocks, timed(d, 1, True))
    costs = [(p["variant"], barrier(d, p)) for p in d.points("micro-barrier")
             if p["blocks"] == d.sms and p["variant"] not in ["none", "none-cold"] + PARTS]
    costs.sort(key=lambda c: c[1][0])
    check_bars(d, "micro-barrier-cost", [(PLAIN.get(v, v), {1: c[0], 5: c[1], 6: c[2]}) for v, c in costs])
    check_labels(d, "micro-barrier-figure8", False)
    check_labels(d, "micro-barrier-all", True)
    for program in ("fft", "swat", "bitonic"):
        check_curves(d, "figure10-" + program, program, by_blocks, timed(d, 1e-3, False), full)
        check_curves(d, "figure11-" + program, program, by_blocks, over_none(d, program, 1e-3), full)
        check_curves(d, "figure13-" + program, program, by_blocks, timed(d, 1e-3, False), full)
        check_gains(d, program)
        check_shares(d, program)
    for program, library in (("fft", "cufft"), ("bitonic", "cub-radix-sort")):
        check_library(d, program, library)
    check_pair(d, "feng-figure1")
    check_pair(d, "feng-figure2")
    check_curves(d, "swat-by-size", "swat@sizes", by_size, as_fast_as(d, "swat@sizes", "cpu-implicit", False))
    cycles = 1e-6 * d.clock
    check_curves(d, "chain", "micro-producer-consumer", lambda p: p["threads"] / 32, timed(d, cycles, False))
    check_bars(d, "li-figure4", [(v, {1: cycles * d.us(d.find("micro-producer-consumer", v, threads=512))})
                                 for v in ("atom-lock", "warp-barrier", "warp-vote", "packed-word", "mbarrier")])
    check_curves(d, "nw", "nw", by_size, timed(d, 1e-3, False))
    check_curves(d, "hop-partners", "micro-dependency@fan", lambda p: p["blocks"] - 1, timed(d, 1, True))
    check_curves(d, "hop-bytes", "micro-dependency@bytes", by_size, timed(d, 1, True))
    check_curves(d, "layers", "micro-megakernel", by_size, as_fast_as(d, "micro-megakernel", "cpu-implicit", True))
    check_curves(d, "micro-split", "micro-split",
                 lambda p: d.each(d.find("micro-split", "none", p["blocks"], p["size"])), timed(d, 1, True), full)
    check_curves(d, "micro-stencil", "micro-stencil", by_size, as_fast_as(d, "micro-stencil", "counter", True), full)  # the first of equal sizes
    check_curves(d, "sum", "sum", by_size, timed(d, 1, False))
    hops = {p["variant"]: p for p in d.points("micro-dependency")}
    for figure, names in (("hop-words", ["acquire-each", "store-release", "fence-add", "no-release"]),
                          ("hop-others", ["tma-store", "fence-add", "packed-words", "sentinel", "packed-16", "cluster-barrier"])):
        check_bars(d, figure, [(v, dict(zip((1, 5, 6), timed(d, 1, True)(hops[v])))) for v in sorted(names, key=lambda v: d.each(hops[v]))])
    check_spread(d)
    for program in ("swat-batch", "pairhmm"):
        def rate(p):
            each, ends = d.each(p), d.ends(p, True)
            return [1e-3 / each, 1e-3 / ends[1], 1e-3 / ends[0]]
        check_curves(d, "wang-figure10-" + program, program, by_size, rate)
        giga = d.clock / 1e9 if d.machine else 1
        check_bars(d, "wang-figure9-" + program, [(p["variant"], {1: giga * p["rate_average"], 2: giga * p["rate_maximum"]})
                                                  for p in d.points(program + "@regions")])
    check_bars(d, "wang-figure3", [("register", {1: 1}), ("shuffle", {1: 29.5}), ("shared", {1: 31.25}), ("syncthreads-1", {1: 13}),
                                   ("shuffle-up-1", {1: 28.5}), ("syncthreads-4", {1: 17})])


def quotient(d, a, b):
    x, y = d.ends(a), d.ends(b)
    return [d.us(a) / d.us(b), x[0] / y[1], x[1] / y[0]]


def check_gains(d, program):
    kinds = [is_barrier, lambda p: p["variant"].startswith("cpu-graph")]
    expected = []
    for want in kinds:
        expected.append([[n] + quotient(d, d.find(program + "@sizes", "cpu-implicit", size=n),
                                        fastest(d, program + "@sizes", want, size=n)) for n in (256, 1024, 4096)])
    sets = list(drawn(d, "sizes-" + program).values())
    same = all(close(a, b) for s, e in zip(sets, expected) for r, q in zip(s, e) for a, b in zip(r, q))
    holds("%s: sizes-%s has the gain of the best that was right" % (d.folder, program), same and sum(map(len, sets)) >= 6, (sets, expected))


def check_shares(d, program):
    micro = {v: {p["blocks"]: d.each(p) for p in d.points("micro-barrier") if p["variant"] == v} for v in ("none", "none-cold")}
    expected = []
    for variant in dict.fromkeys(p["variant"] for p in d.points(program)):
        if variant in ("none", "none-cold"):
            continue
        best = fastest(d, program, lambda p: p["variant"] == variant)
        b, run = best["blocks"], d.us(best)
        none, cold = d.us(d.find(program, "none", b)), d.us(d.find(program, "none-cold", b))
        refill = max(0, cold - none - best["operations"] * (micro["none-cold"][b] - micro["none"][b]))
        expected.append(("%s (%d)" % (variant, b), {1: 100 * none / run, 2: 100 * (run - none - refill) / run, 7: 100 * refill / run}))
    check_bars(d, "figure12-" + program, expected)


def check_library(d, program, library):
    curves = [(program + "@sizes", lambda p: is_good(p) and p["variant"] not in ("cufft", "cub-radix-sort")),
              (program + "@few", lambda p: is_good(p) and p["variant"] != library),
              (program + "@few", lambda p: p["variant"] == library)]
    sets, wrong = list(drawn(d, "beside-library-" + program).values()), []
    for rows, (file, want) in zip(sets, curves):
        sizes = sorted({p["size"] for p in d.points(file)})
        expected = [[n, d.us(p)] + d.ends(p) for n in sizes for p in [fastest(d, file, want, size=n)] if p]
        if len(rows) != len(expected) or not all(close(a, b) for r, e in zip(rows, expected) for a, b in zip(r, e)):
            wrong.append((file, rows, expected))
    holds("%s: beside-library-%s has the fastest that was right" % (d.folder, program), len(sets) == 3 and not wrong, wrong)


def check_pair(d, figure):
    names, sets = drawn(d, figure)
    expected = [sorted([p["blocks"]] + timed(d, 1e-3, False)(p) for p in d.points(program) if p["variant"] == v and 9 <= p["blocks"] <= 30)
                for program in ("swat", "bitonic") for v in names]
    same = all(len(s) == len(e) and all(close(a, b) for r, q in zip(s, e) for a, b in zip(r, q)) for s, e in zip(sets, expected))
    holds("%s: %s has both programs" % (d.folder, figure), same, (sets[0][:2], expected[0][:2]))


def quantile(values, q):
    values = sorted(values)
    at = q * (len(values) - 1)
    below = math.floor(at)
    above = min(below + 1, len(values) - 1)
    return values[below] + (at - below) * (values[above] - values[below])


def check_spread(d):
    us = 1e6 / d.clock if d.machine else 1e-3
    wrong = []
    for variant, rows in drawn(d, "hop-pairs").items():
        times = [t * us for row in d.find("micro-hop-pairs", variant)["hops"]["times"] for t in row]
        if len(rows) != 101 or not all(close(r[1], quantile(times, r[0] / 100)) for r in rows):
            wrong.append((variant, rows[:2]))
    holds("%s: hop-pairs has every hundredth of the pairs" % d.folder, not wrong, wrong)
