"""The capacity map: nodes and devices as cells coloured by model, or of a large fleet its pools, coloured by how full they are.

What is drawn is also said: every drawing has a label, every pod a title, and the tables hold the same numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from .change import Devices, PoolChange
from .layout import Drawn, Node, Pod
from .markdown import html as escaped
from .words import many

# Each is told from white text on it by a contrast of at least 4.5.
PALETTE = (
    "#1d64d8", "#a8430f", "#7a45d6", "#18743a", "#c11f2e", "#0b6b83", "#8a5a00", "#b02a80", "#4d5a68", "#3f6212", "#5b3fa8", "#7a2e12",
)  # fmt: skip
CELL, GAP, ROW, ACROSS = 13, 2, 8, 3  # of a device; between devices; devices in a row; extra between nodes
STEP = CELL + GAP
WIDTH = ROW * STEP + (ROW - 1) * ACROSS - GAP
LINE = 16  # of text
OVERVIEW = 50  # clusters in a row of the overview
_STATES = {"new": "new", "leaving": "goes", "retiring": "retires", "broken": "out of service", "": "stays"}


def color(number: int) -> str:
    """Of the model with that number in the legend."""
    return PALETTE[(number - 1) % len(PALETTE)]


def panel(drawn: Sequence[Drawn], numbers: Mapping[str, int], label: str, lost: bool) -> str:
    """One cluster at one time."""
    parts: list[str] = []
    y = 0
    for pool in drawn:
        for group, each in pool.groups:
            y = _group(parts, pool, group, each, numbers, y)
    body = "".join(parts)
    return (
        f'<svg class="map{" lost" if lost else ""}" role="img" aria-label="{_attribute(label)}" viewBox="-1 -1 {WIDTH + 2} {y + 2}">'
        f"{body}</svg>"
    )


def _group(parts: list[str], pool: Drawn, group: str, each: int, numbers: Mapping[str, int], y: int) -> int:
    """Draws the nodes of a pool; the height after it."""
    total = each * len(pool.nodes)
    free = sum(node.free.get(group, 0) for node in pool.nodes)
    name = pool.pool if len(pool.groups) == 1 else f"{pool.pool} {group}"
    parts.append(f'<text class="pool" x="0" y="{y + 11}">{escaped(_short(name))}</text>')
    parts.append(f'<text class="number" x="{WIDTH}" y="{y + 11}" text-anchor="end">{total - free}/{total}</text>')
    y += LINE
    across = max(1, ROW // each)
    rows = -(-each // ROW)
    for index, node in enumerate(pool.nodes):
        x = (index % across) * (each * STEP + ACROSS) if each <= ROW else 0
        parts += _node(node, group, each, numbers, x, y + (index // across) * (rows * STEP + ACROSS))
    y += -(-len(pool.nodes) // across) * (rows * STEP + ACROSS)
    if waiting := sum(pod.size(group) for pod in pool.waiting):
        parts.append(f'<text class="over" x="0" y="{y + 10}">{waiting} more than there is</text>')
        y += LINE
    return y + 4


def _node(node: Node, group: str, each: int, numbers: Mapping[str, int], x: int, y: int) -> Iterator[str]:
    """A frame for each device, and on them the pods."""
    for device in range(each):
        yield f'<rect class="free" x="{x + device % ROW * STEP}" y="{y + device // ROW * STEP}" width="{CELL}" height="{CELL}" rx="2"/>'
    first = 0
    for pod in node.pods:
        if size := pod.size(group):
            yield from _pod(pod, size, first, numbers, x, y)
            first += size


def _pod(pod: Pod, size: int, first: int, numbers: Mapping[str, int], x: int, y: int) -> Iterator[str]:
    """A pod over its devices; over several rows it is several blocks."""
    number = numbers.get(pod.deployment, 0)
    name = f"{pod.deployment}: " if pod.deployment else ""
    said = f"{name}{many(size, 'device')}, {_STATES[pod.state]}"
    yield f'<g class="pod {pod.state or "stays"}"><title>{escaped(said)}</title>'
    last = first + size
    while first < last:
        end = min(last, (first // ROW + 1) * ROW)
        left, top, wide = x + first % ROW * STEP, y + first // ROW * STEP, (end - first) * STEP - GAP
        fill = f' fill="{color(number)}"' if number else ""
        yield f'<rect x="{left}" y="{top}" width="{wide}" height="{CELL}" rx="2"{fill}/>'
        if pod.state in ("leaving", "retiring", "broken"):
            yield f'<rect class="hatch" x="{left}" y="{top}" width="{wide}" height="{CELL}" rx="2"/>'
        if number:
            yield f'<text x="{left + wide / 2:g}" y="{top + 10}" text-anchor="middle">{number}</text>'
        first = end
    yield "</g>"


def overview(pools: Sequence[PoolChange], clusters: Sequence[str]) -> str:
    """Every cluster a column of its pools, a shade for how full each is afterwards; a frame where something changes."""
    of: dict[str, list[PoolChange]] = {name: [] for name in clusters}
    for pool in pools:
        of[pool.cluster].append(pool)
    high = max((len(found) for found in of.values()), default=1)
    step, tall = 12, high * 8 + 6
    cells: list[str] = []
    for index, found in enumerate(of.values()):
        x, y = index % OVERVIEW * step, index // OVERVIEW * tall
        for row, pool in enumerate(found):
            mark = f"{_shade(pool.after)}{' changed' if pool.changed else ''}"
            cells.append(f'<rect class="{mark}" x="{x}" y="{y + row * 8}" width="10" height="6"><title>{_said(pool)}</title></rect>')
    height = -(-len(of) // OVERVIEW) * tall
    label = f"{len(of)} clusters, each a column of its pools, shaded by how full they are"
    return f'<svg class="overview" role="img" aria-label="{label}" viewBox="-1 -1 {OVERVIEW * step} {height + 1}">{"".join(cells)}</svg>'


def _shade(at: Devices | None) -> str:
    """`u0` (empty) to `u4` (full), `over`, or `none`."""
    if at is None:
        return "none"
    if at.used > at.devices:
        return "over"
    return f"u{-(-4 * at.used // at.devices)}" if at.devices else "u0"


def _said(pool: PoolChange) -> str:
    before, after = ("none" if at is None else f"{at.used}/{at.devices}" for at in (pool.before, pool.after))
    return escaped(
        f"{pool.cluster} {pool.pool}: {before} used before, {after} after" if pool.changed else f"{pool.cluster} {pool.pool}: {after} used"
    )


def _short(text: str, limit: int = 15) -> str:
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def _attribute(text: str) -> str:
    return escaped(text).replace('"', "&quot;")
