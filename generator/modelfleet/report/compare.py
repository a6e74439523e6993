"""Two states of the fleet to a Change."""

from __future__ import annotations

from collections.abc import Sequence

from .alarms import alarms
from .change import Change, ClusterChange, CostChange, DeploymentChange, Note, ObjectChange, Rollout, Short
from .needs import Need, needs, newly_needed
from .objects import by_cluster, by_id, changed, units
from .placements import changes
from .pools import costs, pools
from .risks import risks
from .rollouts import rollouts
from .shortfalls import shortfalls
from .side import Side
from .words import many

DIFFED = 2_000  # objects from which on diffs are left out: what changes everywhere is read in one place
VERDICTS = ("added", "moved", "resized", "filled", "short", "removed", "finished", "renewed")


def compare(before: Side, after: Side, refused: Sequence[Note] = (), notes: Sequence[str] = ()) -> Change:
    """What `after` differs in from `before`. refused: what `check` says of the change; notes: what the comparison leaves out."""
    deployments = changes(before, after)
    found: list[ObjectChange] = []
    where: list[str] = []
    pods: list[Rollout] = []
    new: list[Need] = []
    old: list[Need] = []
    for unit_id, was, now in units(before, after):
        objects = (by_id(was), by_id(now))
        for change in changed(unit_id, *objects, len(found) < DIFFED):
            found.append(change)
            where.append(unit_id.cluster)
        pods += rollouts(unit_id.cluster, *objects)
        old += needs(was)
        new += needs(now)
    clusters = by_cluster(before, after, found, where)
    short = shortfalls(before, after, {change.name for change in deployments})
    dangers = tuple(risks(before, after, deployments, pods))
    money = costs(before, after)
    return Change(
        version=1,
        before=before.name,
        after=after.name,
        headline=headline(deployments, short, dangers, clusters, pods, money, after.fleet.settings.spec.currency),
        currency=after.fleet.settings.spec.currency,
        alarms=(*refused, *alarms(before, after, deployments, pods, clusters)),
        deployments=deployments,
        shortfalls=short,
        risks=dangers,
        rollouts=tuple(pods),
        pools=pools(before, after),
        costs=money,
        secrets=newly_needed(before, new, old),
        clusters=clusters,
        notes=(*notes, *_undiffed(found)),
    )


def _undiffed(found: Sequence[ObjectChange]) -> list[str]:
    left = sum(not change.diff for change in found)
    return [f"the diffs of {left} of {len(found)} objects"] if left else []


def headline(
    deployments: Sequence[DeploymentChange],
    short: Sequence[Short],
    dangers: Sequence[Note],
    clusters: Sequence[ClusterChange],
    pods: Sequence[Rollout],
    money: Sequence[CostChange],
    currency: str,
) -> str:
    """`1 added, 2 moved; 1 short; 12 objects on 3 clusters, 2 workloads restart; +12.50 USD an hour`."""
    counts = {verdict: sum(change.verdict == verdict for change in deployments) for verdict in VERDICTS}
    parts = [", ".join(f"{count} {verdict}" for verdict, count in counts.items() if count) or "no placement changes"]
    if short:
        parts.append(f"{many(sum(one.wanted - one.placed for one in short), 'replica')} without a place")
    if full := sum(note.word == "Overcommitted" for note in dangers):
        parts.append(f"{many(full, 'pool')} over-committed")
    objects = sum(len(cluster.objects) for cluster in clusters)
    places = sum(cluster.cluster != "root" for cluster in clusters)
    restarts = many(sum(found.action == "restarts" for found in pods), "restart")
    if objects:
        parts.append(f"{many(objects, 'object')} on {many(places, 'cluster')}, {restarts}")
    else:
        parts.append("no object changes")
    if money[0].before != money[0].after:
        parts.append(f"{money[0].difference} {currency} an hour")
    return "; ".join(parts)
