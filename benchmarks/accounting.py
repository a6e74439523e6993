"""What each accounting makes of a pool, and what an answer costs.

    python -m benchmarks.accounting [RUNS]

Ten nodes of eight devices take pods as they come, of sizes drawn from a mix, until no size of the mix is taken any more. Shown is
the share of the devices that are then in use, against what the design promises. Costs are ratios to `packs` on the same questions.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable, Mapping
from statistics import mean, median

from modelfleet.place import guaranteed, packing
from modelfleet.place.demand import Demand
from modelfleet.place.guaranteed import safe
from modelfleet.place.packing import packs

NODES, DEVICES = 10, {"gpu": 8}
RUNS = 300
TOLERANCE = 3.0  # points of a hundred between a figure here and the promised one: its mixes are named by their sizes alone
COSTLIER = 5.0  # times `packs`, for an answer that is not remembered

Pods = dict[Demand, int]
Rule = Callable[[Pods, int, Mapping[str, int]], bool]


def node(pods: Pods, nodes: int, capacity: Mapping[str, int]) -> bool:
    """A node for each pod."""
    return sum(pods.values()) <= nodes


RULES: dict[str, Rule] = {"Guaranteed": safe, "Packed": packs, "Node": node}
# What arrives (devices: weight), and the promised shares under each rule, in hundredths.
MIXES: list[tuple[str, dict[int, int], tuple[float, float, float]]] = [
    ("1", {1: 1}, (100, 100, 12.5)),
    ("1, 2 and 4", {1: 4, 2: 2, 4: 1}, (66, 100, 22)),
    ("2 and 4", {2: 1, 4: 1}, (79, 100, 36)),
    ("mostly 8, some 1", {8: 4, 1: 1}, (83, 100, 83)),
]


def fill(mix: Mapping[int, int], rule: Rule, draw: random.Random) -> float:
    """Share of the devices taken when the rule takes no size of the mix any more, in hundredths."""
    pods: Pods = {}
    open_sizes = set(mix)
    while open_sizes:
        size = draw.choices(list(mix), list(mix.values()))[0]
        more = {**pods, (("gpu", size),): pods.get((("gpu", size),), 0) + 1}
        if size in open_sizes and rule(more, NODES, DEVICES):
            pods = more
        else:
            open_sizes.discard(size)
    return 100 * sum(size * count for ((_, size),), count in pods.items()) / (NODES * DEVICES["gpu"])


def shares(runs: int) -> list[str]:
    """Prints the shares and gives back what is off: a share beside its promise, and any run in which Node does better."""
    missed = []
    print(f"{'pods of':<20}" + "".join(f"{name:>12}{'promised':>10}" for name in RULES))
    for what, mix, promised in MIXES:
        found = [[fill(mix, rule, random.Random(seed)) for seed in range(runs)] for rule in RULES.values()]
        print(f"{what:<20}" + "".join(f"{mean(each):>11.1f}%{wanted:>9}%" for each, wanted in zip(found, promised, strict=True)))
        missed += [f"{name} of {what}" for name, each, at in zip(RULES, found, promised, strict=True) if abs(mean(each) - at) > TOLERANCE]
        missed += [f"worse than Node: {what}"] if any(g < n for g, n in zip(found[0], found[2], strict=True)) else []
    return missed


def questions(draw: random.Random, sizes: list[int], nodes: int) -> list[Pods]:
    """The pods of a pool while it fills, each with one more: what the ledger asks."""
    pods: Pods = {}
    asked: list[Pods] = []
    refused = 0
    while refused < 5:
        demand: Demand = (("gpu", draw.choice(sizes)),)
        more = {**pods, demand: pods.get(demand, 0) + max(1, nodes // 20)}
        asked.append(more)
        if safe(more, nodes, DEVICES):
            pods = more
        else:
            refused += 1
    return asked


def forget() -> None:
    for remembered in (guaranteed._safe, guaranteed._blocking, packing._decided, packing._fillings):
        remembered.cache_clear()


def cost(rule: Rule, asked: list[tuple[Pods, int]]) -> float:
    """CPU microseconds of an answer."""
    started = time.process_time()
    for pods, nodes in asked:
        rule(pods, nodes, DEVICES)
    return 1e6 * (time.process_time() - started) / len(asked)


def costs() -> list[str]:
    """Prints what answers cost and gives back where they cost too much."""
    missed = []
    print(f"\n{'answers of sizes':<20}{'asked':>8}{'packs us':>10}{'safe us':>10}{'ratio':>8}{'again us':>10}")
    for what, sizes in (("1, 2, 4, 8", [1, 2, 4, 8]), ("1 to 8", list(range(1, 9))), ("2, 3", [2, 3])):
        draw = random.Random(1)
        drawn = [(pods, nodes) for nodes in (2, 10, 50, 1_000) for _ in range(20) for pods in questions(draw, sizes, nodes)]
        asked = list({(frozenset(pods.items()), nodes): (pods, nodes) for pods, nodes in drawn}.values())
        runs = []
        for _ in range(5):
            forget()
            runs.append((cost(packs, asked), cost(safe, asked), cost(safe, asked)))
        base, first, again = (median(run[i] for run in runs) for i in range(3))
        print(f"{what:<20}{len(asked):>8}{base:>10.1f}{first:>10.1f}{first / base:>8.2f}{again:>10.1f}")
        missed += [f"cost of {what}"] if first > COSTLIER * base else []
    return missed


def main(runs: int = RUNS) -> int:
    """Prints the figures; 1 if one of them is missed."""
    missed = shares(runs) + costs()
    print("missed: " + ", ".join(missed) if missed else "all within their bounds")
    return int(bool(missed))


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
