"""Speed of `place()`: against the peer's algorithm, at full size, and as the fleet grows.

    python -m benchmarks.placement [CLUSTERS DEPLOYMENTS REPLICAS]

Times are CPU seconds. Ours compiles every selector anew in every run. The peer with the interpreter that it is published with takes
a minute and a half for the second of the two fleets; it is run whole, as a part of the deployments tells too much or too little.
"""

from __future__ import annotations

import gc
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from statistics import median
from typing import Any

from modelfleet import cel
from modelfleet.load import uncollected
from modelfleet.place import candidates, demand, guaranteed, ledger, packing
from modelfleet.place.place import place
from modelfleet.resolve import Fleet

from benchmarks import fleets, peer, peer_cel

FASTER = 1_000  # than the peer with its own interpreter
LARGE = (1_000, 2_000, 5)  # clusters, deployments, replicas of each
SECONDS, MEBIBYTES = 30, 1_024
GROWTH = 5  # times the CPU for four times the input


def cpu(work: Callable[[], object]) -> float:
    """CPU seconds of one call, after the garbage of others is gone and without collecting its own: so the commands place too."""
    gc.collect()
    with uncollected():
        started = time.process_time()
        work()
        return time.process_time() - started


def ours(fleet: Fleet) -> list[float]:
    """Five runs that remember nothing of one another."""

    place(fleet, {})  # imports what the first selector needs
    return [_forgetful(fleet) for _ in range(5)]


def _forgetful(fleet: Fleet) -> float:
    for module in (cel.program, demand, packing, guaranteed, ledger, candidates):
        for found in vars(module).values():
            if hasattr(found, "cache_clear"):
                found.cache_clear()
    return cpu(lambda: place(fleet, {}))


def against_peer(fleet: Fleet) -> tuple[float, float, float]:
    """(ours, the peer with our selectors, the peer with its interpreter).

    Ours is the median of runs before and after the peer's, as a machine's speed changes with what else it does.
    """
    before = ours(fleet)
    same = cpu(lambda: peer.schedule_all(fleet))
    published = cpu(lambda: peer.schedule_all(fleet, peer_cel.interpreted))
    return (median(before + ours(fleet)), same, published)


def one(clusters: int, deployments: int, replicas: int) -> dict[str, float]:
    """Placing all of a fleet in this process, then with everything recorded, then with one deployment more."""
    fleet = fleets.fleet(clusters, deployments, replicas)
    plans = []
    first = cpu(lambda: plans.append(place(fleet, {})))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    records = plans[0].placements
    missing = sum(short.missing for short in plans[0].shortfalls.values())
    again = cpu(lambda: place(fleet, records))
    fewer = dict(records)
    del fewer[max(fewer)]
    return {"first": first, "recorded": again, "one more": cpu(lambda: place(fleet, fewer)), "peak": peak, "missing": missing}


def apart(*size: int) -> dict[str, float]:
    """`one` in a process of its own, so that its peak memory is its own."""
    command = [sys.executable, "-m", "benchmarks.placement", *map(str, size)]
    found: dict[str, float] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return found


def main() -> int:
    """Prints the figures; 1 if one of them is missed."""
    missed = []
    print(f"{'against the peer':<28}{'ours':>10}{'peer, our CEL':>16}{'peer as published':>20}")
    compared = (("1,000 clusters x 1 x 10", (1_000, 1, 10), 8), ("100 clusters x 200 x 5", (100, 200, 5), 32))
    for what, size, nodes in compared:
        mine, same, published = against_peer(fleets.fleet(*size, nodes=nodes))
        print(f"{what:<28}{mine:>9.4f}s{same / mine:>15.0f}x{published / mine:>19.0f}x")
        missed += [what] if published < FASTER * mine else []
    quarter, whole = (apart(*size) for size in ((LARGE[0] // 4, LARGE[1] // 4, LARGE[2]), LARGE))
    print(f"\n{'clusters x deployments':<28}{'first':>10}{'recorded':>10}{'one more':>10}{'peak MiB':>10}{'missing':>9}")
    for size, found in ((4, quarter), (1, whole)):
        what = f"{LARGE[0] // size:,} x {LARGE[1] // size:,} x {LARGE[2]}"
        seconds = "".join(f"{found[name]:>9.2f}s" for name in ("first", "recorded", "one more"))
        print(f"{what:<28}{seconds}{found['peak']:>10.0f}{found['missing']:>9.0f}")
    growth = whole["first"] / quarter["first"]
    print(f"four times the input: {growth:.1f} times the CPU, {whole['peak'] / quarter['peak']:.1f} times the memory")
    missed += [name for name, bad in _limits(whole, growth) if bad]
    print("missed: " + ", ".join(missed) if missed else "all within their bounds")
    return int(bool(missed))


def _limits(whole: dict[str, float], growth: float) -> list[tuple[str, bool]]:
    return [("CPU", whole["first"] > SECONDS), ("memory", whole["peak"] > MEBIBYTES), ("growth", growth > GROWTH)]


def _command(arguments: list[Any]) -> int:
    if len(arguments) == 3:
        print(json.dumps(one(*map(int, arguments))))
        return 0
    return main()


if __name__ == "__main__":
    sys.exit(_command(sys.argv[1:]))
