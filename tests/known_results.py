"""Devices whose results are closed formulas. tests/golden/tables.sums has the sums of what report says of them.

    python3 tests/known_results.py FOLDER       writes a folder of results for each device into FOLDER
"""
import json, os, sys

LAUNCHES = ["cpu-explicit", "cpu-implicit", "cpu-graph", "cpu-graph-pdl"]
BARRIERS = ["lock-based", "lock-based-fence", "lock-based-fence-each", "lock-free", "lock-free-fence",
            "lock-free-fence-each", "tree", "tree-fence", "grid-sync", "counter", "courier"]
UNORDERED = {"none", "none-cold", "lock-based", "lock-free", "tree", "lock-based-fence-each",
             "lock-free-fence-each", "atomic-part", "syncthreads-part", "no-release"}
PARTS = ["atomic-part", "syncthreads-part"]
LUCKY = "lock-free-fence-each"  # unordered and fast; its answers happened to be right, but it must never be chosen as the best
WRONG = "tree-fence"  # ordered, and its answers were wrong; it is the fastest, but must never be chosen as the best


class Device:
    def __init__(self, folder, name, sms, scale, machine=False):
        self.folder, self.name, self.sms, self.scale, self.machine = folder, name, sms, scale, machine
        self.clock = 1.7e9
        self.rounds = 2500  # the size of micro-barrier, which is a number of repetitions
        self.times_longer = {}  # of the files in which the device differs from others of its model
        self.files = {}

    # Nanoseconds of one operation: a polynomial in the blocks and the size, another for each variant.
    def op(self, file, variant, blocks, threads, size):
        seed = sum(map(ord, variant))
        base = 300 + seed % 211 + 7 * len(variant)
        if variant in ("none", "none-cold"):
            base = 20 if variant == "none" else 31
        elif variant in (WRONG, LUCKY):
            base = 45
        elif variant.startswith("cpu-"):
            base = 2000 + 900 * (4 - LAUNCHES.index(variant))
        elif file.startswith("micro-barrier"):
            base += (seed % 5) * 11 * blocks + (blocks - 9) ** 2 * 0.25
        work = 0 if file == "micro-barrier" else size
        return self.scale * self.times_longer.get(file, 1) * (base + 0.5 * blocks + 0.125 * threads) * (1 + work / 1e5)


def point(d, file, variant, blocks, threads, size, operations, unit="ns", **more):
    ns = d.op(file, variant, blocks, threads, size) * operations
    units = ns if unit == "ns" and not d.machine else ns * d.clock / 1e9
    unit = "time units" if d.machine and unit == "ns" else unit
    low, high = 0.97 * units, 1.05 * units
    wrong = variant == WRONG or (variant in UNORDERED and variant != LUCKY and blocks > 1)
    return {"variant": variant, "blocks": blocks, "threads": threads, "size": size, "unit": unit,
            "samples": [low, units, high], "min": low, "median": units, "max": high, "ci95": [low, high],
            "operations": operations, "per_operation": units / operations, "repeats": 3,
            "ordered": variant not in UNORDERED, "verified": not wrong, "wrong": 5 if wrong else 0,
            "compared": 100, **more}


def add(d, file, points, family="micro", **more):
    experiment = file.split("@")[0]
    device = {"kind": "machine" if d.machine else "gpu", "name": d.name, "slug": d.folder, "sm_count": d.sms,
              "clock_hz": d.clock, "compute_capability": 9.0, "uuid": d.folder,
              "shared_bytes_per_sm": 233472, "max_threads_per_sm": 2048}
    d.files[file] = {"schema": "gpusync-result/1", "experiment": experiment, "family": family, "revision": "known",
                     "dirty": False, "device": device, "parameters": {"runs": 3}, "created": "2026-01-01T00:00:00Z",
                     "command": ["known"], "skipped": [], **more, "points": points}


def operations_of(variant):  # a launch is repeated less often than a barrier
    return 500 if variant.startswith("cpu-") else 2500


def line_of(a, b):
    return {"slope": a, "constant": b, "r2": 0.75, "mean": b + 3 * a, "points": 9}


def make(d):
    blocks = [1, 2, 4, 9, 12, 15, 18, 21, 24, 27, 30, 36, 40, 48, 80, 96]
    methods = LAUNCHES + ["none", "none-cold"] + BARRIERS
    add(d, "micro-barrier",
        [point(d, "micro-barrier", v, b, 256, d.rounds, operations_of(v)) for b in blocks for v in methods + PARTS
         if not (v == "courier" and b in (15, 40, 48))],  # a gap
        analysis={"section_6": {"t_a": line_of(3, 5), "t_c": line_of(1, 4), "t_s": line_of(2, 6), "t_f": line_of(7, 8)},
                  "equation_6": line_of(9, 10), "equation_7": line_of(11, 12)})
    for threads in (64, 512):
        add(d, "micro-barrier@threads-%d" % threads, [point(d, "micro-barrier", "none", b, threads, 2500, 2500) for b in blocks],
            analysis={"section_6": {"t_c": line_of(1, threads / 50)}})
    for program, steps in (("fft", 15), ("swat", 301), ("bitonic", 120)):
        add(d, program, [point(d, program, v, b, 448, 512, steps) for b in blocks[3:] for v in methods[1:]
                         if v != "cpu-explicit"], "steps",
            reference={"size": 512, "unit": "ns", "samples": [77e6], "median": 77e6})
        add(d, program + "@sizes", [point(d, program, v, 40, 448, n, steps + n // 256)
                                    for n in (256, 1024, 4096) for v in methods[1:] + ["dataflow"] if v != "cpu-explicit"], "steps")
    for program, library in (("fft", "cufft"), ("bitonic", "cub-radix-sort")):
        for how in ("", "-graph"):  # number of passes, which is different for each variant
            add(d, program + "@few" + how,
                [point(d, program + how, v, b, 256, n, 2 + k) for n in (1024, 4096) for b in (40, 80)
                 for k, v in enumerate(["cpu-implicit", "none", "lock-free-fence", "grid-sync", "counter", WRONG, "tree", library])
                 if b == 40 or v != library], "steps")
    add(d, "bitonic@fastest", [point(d, "sort", v, b, 512, n, 3 + k) for n in (4096, 4194304) for b in (40, 80)
                               for k, v in enumerate(["cpu-implicit", "counter", "cub-radix-sort"])], "steps")
    add(d, "micro-components", [point(d, "c", v, b, 256, 5000, 2000 if v.startswith("launch") else 5000 + 64 * k)
                                for b in (1, 8, 40, 48) for k, v in enumerate(["atomic", "fence", "l2-load", "launch", "hop"])])
    hops = ["none", "fence-add", "acquire-each", "store-release", "no-release", "packed-words", "packed-16",
            "sentinel", "tma-store", "cluster-barrier", "token", "in-apart", "out-apart"]
    add(d, "micro-dependency", [point(d, "m", v, 2, 256, 128, 700 + k) for k, v in enumerate(hops)])
    add(d, "micro-dependency@fan", [point(d, "m", v, b, 256, 128, 700 + k) for b in (2, 5, 17) for k, v in enumerate(hops[1:])])
    add(d, "micro-dependency@bytes", [point(d, "m", v, 2, 256, n, 700 + k) for n in (128, 512, 2048) for k, v in enumerate(hops[1:])])
    times = [[100 + 17 * i + 3 * j for j in range(3)] for i in range(40)]
    add(d, "micro-hop-pairs",
        [point(d, "m", v, 40, 256, 128, 1, hops={"pairs": [[0, i] for i in range(40)], "low": 100 + k, "high": 800 + k,
               "times": [[t * (k + 1) for t in row] for row in times]}) for k, v in enumerate(["fence-add", "packed-16", "sentinel"])])
    add(d, "micro-megakernel", [point(d, "m", v, 40, 256, n, 24 + k) for n in (256, 512, 1024)
                                for k, v in enumerate(["cpu-implicit", "cpu-graph", "none", "counter", "tile-words"])])
    add(d, "micro-split", [point(d, "m", v, b, 256, n, 1000 if v == "none" else 400) for n in (1, 10, 50) for b in (40, 96)
                           for v in ("none", "counter", "counter-split", "courier-split", "grid-sync", "grid-sync-split")])
    add(d, "micro-stencil", [point(d, "m", v, b, 256, n, 200) for n in (66, 258, 514) for b in (40, 96)
                             for v in ("none", "grid-sync", "counter", "neighbours")])
    add(d, "micro-producer-consumer", [point(d, "m", v, 1, 32 * w, 200, w, "cycles", shared_bytes=64 * w, counters={"lock_bits": 3 * w}) for w in (2, 8, 16)
                                       for v in ("atom-lock", "warp-barrier", "warp-vote", "packed-word", "mbarrier")])
    nw = ["data-parallel", "atom-lock", "packed-word", "shuffle", "shuffle+counter", "dataflow"]
    for file in ("nw", "nw@widest"):
        add(d, file, [point(d, file, v, 10, 32, n, n * n) for n in (31, 1984) for v in nw], "other")
    sums = [t + a for t in ("sum-", "prefix-") for a in ("simple+counter", "tree+counter", "simple-tree+counter", "hybrid+counter", "cub")] + \
        ["sum-last-block", "sum-dataflow", "prefix-dataflow"]
    add(d, "sum", [point(d, "s", v, 40, 256, n, n, barriers=3 + k % 5) for n in (1024, 16384) for k, v in enumerate(sums)], "other")
    for file in ("sum@one-pass", "sum@one-pass-graph"):
        add(d, file, [point(d, file, v, 40, 256, n, n) for n in (1024, 16384) for v in sums], "other")
    for program in ("swat-batch", "pairhmm"):
        add(d, program, [point(d, program, v, n, 32, n, 1000 * n, rate_average=3.5 + k, rate_maximum=5.5 + k,
                               kernel={"threads": 32 + 32 * k, "blocks_per_sm": 21 - n // 100, "registers": 40 + 7 * k, "shared_bytes": 900})
                         for n in (100, 400) for k, v in enumerate(["shared", "shuffle", "blocked", "shuffle+copies"])], "batches")
        add(d, program + "@regions", [point(d, program, v, 4, 32, 4, 9000, rate_average=3.25 + k, rate_maximum=5.25 + k)
                                      for k, v in enumerate(["shared", "shuffle", "blocked"])], "batches")
    add(d, "micro-latency", [point(d, "m", v, 1, 32, n, n, "cycles") for n in (1000, 2000) for v in ("register", "shuffle", "shared")],
        analysis={"register": {"latency": 1}, "shuffle": {"latency": 29.5}, "shared": {"latency": 31.25}, "syncthreads-1": {"latency": 13},
                  "shuffle-up-1": {"latency": 28.5}, "syncthreads-4": {"latency": 17}})
    add(d, "micro-throughput", [point(d, "m", v, 40, 256, 10, 10) for v in ("fp32", "shared-memory", "global-memory")],
        analysis={"fp32": 900, "shared-memory": 700, "global-memory": 80})
    add(d, "micro-residency", [point(d, "m", v, 40, 32, k, 1, launch="ordinary", resident=9 + k, blocks_of_all_grids=99,
                                     outcomes_of_runs={"opens": 5}) for v in ("alone", "occupied") for k in (1, 8)])


A = Device("known-a", "KNOWN A", 40, 1.0)
B = Device("known-b", "KNOWN B", 48, 1.25)
M = Device("machine-known", "known", 40, 1.5, machine=True)
B.rounds = 2000
for device in (A, B, M):
    make(device)
# Other cards of A's model. One is 4 % slower, which a comparison must not report as a difference of models. The cards
# of a fleet are 1 % apart; one of them is a third slower, and another one differs in two files.
TWINS = [Device("known-twin", "KNOWN A", 40, 1.04)] + \
    [Device("known-card-%d" % n, "KNOWN A", 40, 1.33 if n == 4 else 1 + n / 100) for n in range(6)]
TWINS[-1].times_longer = {"fft": 0.8, "nw": 1.4}
for device in TWINS:
    make(device)


def write(parent):
    """Writes a folder of results for each device, with a file that is no result."""
    for device in (A, B, M, *TWINS):
        folder, whole = os.path.join(parent, device.folder), {}
        os.makedirs(folder)
        with open(os.path.join(folder, "notes.json"), "w") as out:
            out.write('{"schema": "notes/1"}')
        for file, result in sorted(device.files.items()):  # the main sweep has the other sweeps in it
            name, _, sweep = file.partition("@")
            whole.setdefault(name, {"schema": "gpusync-result/1"})
            if sweep:
                whole[name].setdefault("sweeps", {})[sweep] = result
            else:
                whole[name].update(result)
        for name, result in whole.items():
            with open(os.path.join(folder, name + ".json"), "w") as out:
                json.dump(result, out)


if __name__ == "__main__":
    write(sys.argv[1])
