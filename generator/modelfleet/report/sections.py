"""A Change in words: the sections that every format shows, in this order."""

from __future__ import annotations

from dataclasses import dataclass

from .change import Change, ClusterChange, Note, PoolChange
from .words import listed, many

CLUSTERS = 6  # clusters that one line names


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under their heads. right: columns of numbers. code: columns of names."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    right: tuple[int, ...] = ()
    code: tuple[int, ...] = (0,)


@dataclass(frozen=True, slots=True)
class Fold:
    """A diff that is shown when it is asked for."""

    title: str
    diff: str


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the report. name: stable, for anchors. level: alarm, risk, or neither. said: one line of text; may be empty."""

    name: str
    title: str
    said: str = ""
    tables: tuple[Table, ...] = ()
    folds: tuple[Fold, ...] = ()
    level: str = ""


def sections(change: Change) -> tuple[Section, ...]:
    """Those that have something to say."""
    makers = (_removals, _placements, _short, _risks, _rollouts, _capacity, _costs, _secrets, _objects, _left_out)
    return tuple(section for make in makers if (section := make(change)))


def _removals(change: Change) -> Section | None:
    title = "Removals and what cannot be undone"
    return Section("removals", title, tables=(_notes(change.alarms),), level="alarm") if change.alarms else None


def _risks(change: Change) -> Section | None:
    return Section("risks", "Risks", tables=(_notes(change.risks),), level="risk") if change.risks else None


def _left_out(change: Change) -> Section | None:
    rows = tuple((note,) for note in change.notes)
    return Section("notes", "What this comparison leaves out", tables=(Table(("Note",), rows, code=()),)) if rows else None


def _notes(notes: tuple[Note, ...]) -> Table:
    hints = any(note.hint for note in notes)
    rows = tuple((note.word, note.subject, note.text, *([note.hint] if hints else [])) for note in notes)
    return Table(("What", "Of", "Says", *(["Do"] if hints else [])), rows, code=(1, 3))


def _placements(change: Change) -> Section | None:
    rows = tuple(
        (found.name, found.verdict, f"{found.live_before} of {found.wanted_before}", f"{found.live} of {found.wanted}", found.text)
        for found in change.deployments
    )
    head = ("Deployment", "Is", "Before", "After", "Where")
    return Section("placements", "Placements", tables=(Table(head, rows, (2, 3)),)) if rows else None


def _short(change: Change) -> Section | None:
    found = change.shortfalls
    if not found:
        return None
    rows = []
    for short in found:
        new = short.wanted - short.placed - short.missing_before
        since = f"{new} more than before" if new > 0 else f"{-new} fewer than before" if new < 0 else "as before"
        rows.append((short.name, f"{short.placed} of {short.wanted}", since, short.summary))
    tables = [Table(("Deployment", "Placed", "Missing", "Summary"), tuple(rows), (1,))]
    reasons = tuple(
        (short.name, reason.reason, listed(list(reason.clusters), CLUSTERS), reason.text) for short in found for reason in short.reasons
    )
    if reasons:
        tables.append(Table(("Deployment", "Reason", "Clusters", "The first says"), reasons, code=(0, 2)))
    return Section("short", "Without a place", tables=tuple(tables), level="risk")


def _rollouts(change: Change) -> Section | None:
    if not change.rollouts:
        return None
    moved = [one for one in change.rollouts if one.action != "stays"]
    stays = len(change.rollouts) - len(moved)
    said = f"no pod restarts for what changes of {many(stays, 'further workload')}" if stays else ""
    rows = []
    for one in moved:
        number = str(one.replicas) if one.replicas == one.replicas_before else f"{one.replicas_before} -> {one.replicas}"
        rows.append((one.deployment, one.cluster, f"{one.kind} {one.name}", one.action, number, "; ".join(one.because)))
    head = ("Deployment", "Cluster", "Workload", "Argo CD", "Pods", "Because")
    tables = (Table(head, tuple(rows), (4,), (0, 1, 2)),) if rows else ()
    return Section("restarts", "What Argo CD starts, restarts and stops", said, tables)


def _capacity(change: Change) -> Section | None:
    rows = []
    for pool in (pool for pool in change.pools if pool.changed):
        numbers = [_both(pool, name) for name in ("nodes", "devices", "used", "free", "headroom")]
        rows.append((pool.cluster, pool.pool, f"{pool.class_name}/{pool.group}", *numbers))
    head = ("Cluster", "Pool", "Devices of", "Nodes", "Devices", "Used", "Free", "Headroom")
    said = f"{len(rows)} of {len(change.pools)} pools change"
    return Section("capacity", "Capacity", said, (Table(head, tuple(rows), (3, 4, 5, 6, 7), (0, 1, 2)),)) if rows else None


def _both(pool: PoolChange, name: str) -> str:
    """`2`, `2 -> 4`, `- -> 4` where there was no such pool."""
    before, after = ("-" if at is None else str(getattr(at, name)) for at in (pool.before, pool.after))
    return after if before == after else f"{before} -> {after}"


def _costs(change: Change) -> Section | None:
    rows = tuple((cost.kind, cost.name, cost.before, cost.after, cost.difference) for cost in change.costs if cost.before != cost.after)
    table = Table(("Of", "Name", "Before", "After", "Difference"), rows, (2, 3, 4), (1,))
    return Section("cost", f"Cost ({change.currency} an hour)", tables=(table,)) if rows else None


def _secrets(change: Change) -> Section | None:
    rows = tuple((need.cluster, need.namespace, need.secret, need.key or "(all)") for need in change.secrets)
    said = "these must be in the clusters before the pods start; no value of one is ever read here"
    table = Table(("Cluster", "Namespace", "Secret", "Key"), rows, (), (0, 1, 2, 3))
    return Section("secrets", "Secrets that are newly needed", said, (table,)) if rows else None


def _objects(change: Change) -> Section | None:
    rows, folds = [], []
    for cluster in change.clusters:
        counts = [str(cluster.count(what)) for what in ("added", "changed", "removed")]
        rows.append((cluster.cluster, *counts, _applications(cluster)))
        for found in (found for found in cluster.objects if found.diff):
            fate = {"": "", "deleted": ", Argo CD deletes it", "stays": ", it stays in the cluster"}[found.fate]
            title = f"{cluster.cluster}/{found.unit}: {found.kind} {found.name} {found.what}{fate} (+{found.plus} -{found.minus})"
            folds.append(Fold(title, found.diff))
    table = Table(("Cluster", "Added", "Changed", "Removed", "Applications"), tuple(rows), (1, 2, 3))
    return Section("objects", "Objects", tables=(table,), folds=tuple(folds)) if rows else None


def _applications(cluster: ClusterChange) -> str:
    parts = [f"+ {listed(list(cluster.units_added), CLUSTERS)}"] if cluster.units_added else []
    parts += [f"- {listed(list(cluster.units_removed), CLUSTERS)}"] if cluster.units_removed else []
    return "; ".join(parts)
