"""A Change as one HTML file that needs nothing else: no request, no font, no script of others."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import jinja2

from ..diagnostics import printable
from .change import Change
from .layout import Column, Drawn, columns
from .sections import Fold, sections
from .side import Side
from .svg import color, overview, panel
from .text import NOTHING

# Beyond these the map shows pools instead of devices, and only the clusters that change in full.
MANY_DEVICES, MANY_CLUSTERS, DRAWN = 4_000, 60, 24
DIFFS = 1_500_000  # characters of diffs
CELL = 600  # characters of a cell

# Of a word in a cell.
TONES = {
    "added": "good", "filled": "good", "starts": "good", "moved": "move", "resized": "move", "scales": "move", "renewed": "move",
    "restarts": "warn", "short": "bad", "removed": "bad", "stops": "bad", "orphaned": "bad",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Tile:
    """One number at the top. tone: good, warn, bad or none."""

    number: str
    label: str
    tone: str = ""


@dataclass(frozen=True, slots=True)
class Card:
    """One cluster of the map. same: both sides look alike, so one is drawn."""

    cluster: str
    note: str
    before: str
    after: str
    same: bool


@dataclass(frozen=True, slots=True)
class Legend:
    number: int
    name: str
    color: str


def html(change: Change, before: Side, after: Side) -> str:
    """The page."""
    names = sorted({*before.fleet.clusters, *after.fleet.clusters})
    large = sum(pool.after.devices for pool in change.pools if pool.after) > MANY_DEVICES or len(names) > MANY_CLUSTERS
    drawn = _drawn(change, names, large)
    found = columns(before, after, drawn)
    models = sorted({pod.deployment for column in found for pod in _pods(column) if pod.deployment})
    numbers = {name: number for number, name in enumerate(models, 1)}
    script, style = _source("plan.js"), _source("plan.css")
    shown = sections(change)
    return _environment().get_template("plan.html").render(
        change=change,
        headline=printable(change.headline if shown else NOTHING),
        tiles=_tiles(change),
        sections=shown,
        folds=_folds(shown),
        cards=[_card(column, numbers) for column in found],
        left=len(names) - len(drawn),
        legend=[Legend(number, name, color(number)) for name, number in numbers.items()],
        overview=overview(change.pools, names) if large else "",
        script=script,
        style=style,
        policy=f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; base-uri 'none'; form-action 'none'",
        tones=TONES,
        cell_width=CELL,
    )  # fmt: skip


def _drawn(change: Change, names: list[str], large: bool) -> list[str]:
    """Clusters that are drawn device by device."""
    if not large:
        return names
    touched = {pool.cluster for pool in change.pools if pool.changed}
    touched |= {entry.cluster for found in change.deployments for entry in found.entries}
    return [name for name in names if name in touched][:DRAWN]


def _pods(column: Column) -> list[Any]:
    return [pod for side in (column.before, column.after) for pool in side for node in pool.nodes for pod in node.pods]


def _card(column: Column, numbers: dict[str, int]) -> Card:
    def drawing(pools: Sequence[Drawn], when: str, lost: bool) -> str:
        return panel(pools, numbers, f"{column.cluster} {when}{' (lost)' if lost else ''}: {_said(pools)}", lost) if pools else ""

    notes = {(True, True): "lost", (False, True): "lost by this change", (True, False): "back"}
    note = notes.get(
        column.lost, "" if column.before and column.after else "new" if column.after else "gone" if column.before else "no pools"
    )
    return Card(
        column.cluster,
        note,
        drawing(column.before, "before", column.lost[0]),
        drawing(column.after, "after", column.lost[1]),
        not column.changed,
    )


def _said(pools: Sequence[Drawn]) -> str:
    """`pool h100: 12 of 16 gpu used`, for those who do not see the drawing."""
    parts = []
    for pool in pools:
        for group, each in pool.groups:
            total = each * len(pool.nodes)
            free = sum(node.free.get(group, 0) for node in pool.nodes)
            parts.append(f"pool {pool.pool}: {total - free} of {total} {group} used")
    return "; ".join(parts)


def _tiles(change: Change) -> list[Tile]:
    restarts = sum(found.action == "restarts" for found in change.rollouts)
    objects = sum(len(cluster.objects) for cluster in change.clusters)
    cost = change.costs[0]
    missing = sum(short.wanted - short.placed for short in change.shortfalls)
    return [
        Tile(str(len(change.alarms)), "removals and alarms", "bad" if change.alarms else "good"),
        Tile(str(len(change.deployments)), "placements change", ""),
        Tile(str(missing), "replicas without a place", "warn" if missing else "good"),
        Tile(str(restarts), "workloads restart", "warn" if restarts else "good"),
        Tile(str(objects), "objects change", ""),
        Tile(cost.difference, f"{change.currency} an hour, {cost.after} in all", ""),
    ]


def _folds(shown: Sequence[Any]) -> list[tuple[Fold, list[tuple[str, str]]]]:
    """Diffs and the class of each of their lines, as many as a page may hold."""
    found: list[tuple[Fold, list[tuple[str, str]]]] = []
    left = DIFFS
    for section in shown:
        for fold in section.folds:
            left -= len(fold.diff) + len(fold.title)
            if left < 0:
                return found
            marks = {"+": "p", "-": "m", "@": "at"}
            lines = [
                (marks.get(line[:1], "") if not line.startswith(("+++", "---")) else "at", printable(line))
                for line in fold.diff.split("\n")
            ]
            found.append((fold, lines))
    return found


@cache
def _environment() -> jinja2.Environment:
    loader = jinja2.PackageLoader("modelfleet.report", "page")
    found = jinja2.Environment(loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined)
    found.filters["printable"] = printable
    return found


def _source(name: str) -> str:
    """A file of the page as it is."""
    environment = _environment()
    assert environment.loader is not None
    return environment.loader.get_source(environment, name)[0]


def _digest(text: str) -> str:
    """What a content security policy knows a block by."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
