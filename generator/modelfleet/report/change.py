"""What one state of the fleet differs in from another, as values: `plan --format json` prints them, every other format shows them.

Amounts of money are decimal texts of the fleet's currency for an hour; a deployment is `namespace/name`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Verdict = Literal["added", "removed", "moved", "resized", "filled", "short", "finished", "renewed"]
What = Literal["added", "changed", "removed"]
Fate = Literal["", "deleted", "stays"]
Action = Literal["starts", "restarts", "scales", "stays", "stops", "orphaned"]


@dataclass(frozen=True, slots=True)
class Note:
    """Something to know before merging."""

    word: str
    """What kind of thing it is: one CamelCase word."""
    subject: str
    """What it is about: a deployment, a cluster, a pool or an object."""
    text: str
    """One sentence with its numbers."""
    hint: str = ""
    """What one can type or do; may be empty."""


@dataclass(frozen=True, slots=True)
class EntryChange:
    """Replicas on one cluster and choice of pools, before and after."""

    cluster: str
    """Cluster."""
    pools: str
    """Pools, joined by `, `."""
    before: int
    """Replicas before that run and do not retire."""
    after: int
    """Replicas after that run and do not retire."""
    retiring: int
    """Replicas after that are on their way out."""
    lost: bool
    """Whether the cluster is lost or gone."""


@dataclass(frozen=True, slots=True)
class DeploymentChange:
    """A deployment whose placement differs."""

    name: str
    """Deployment."""
    team: str
    """Team that owns its namespace; may be empty."""
    verdict: Verdict
    """What happens: filled means that replicas without a place have one now; short that replicas lose theirs."""
    wanted_before: int
    """Replicas asked for before."""
    wanted: int
    """Replicas asked for after."""
    live_before: int
    """Replicas that run before."""
    live: int
    """Replicas that run after."""
    recorded: bool
    """Whether the placement after is the recorded one."""
    text: str
    """Every entry and what it was, in one line."""
    entries: tuple[EntryChange, ...]
    """Its entries, by cluster."""


@dataclass(frozen=True, slots=True)
class Reason:
    """Clusters that refuse a replica for the same reason."""

    reason: str
    """The reason: one CamelCase word."""
    clusters: tuple[str, ...]
    """Clusters, sorted."""
    text: str
    """What the first of them says, with its numbers."""


@dataclass(frozen=True, slots=True)
class Short:
    """A deployment with replicas that have no place after the change."""

    name: str
    """Deployment."""
    placed: int
    """Replicas that have a place."""
    wanted: int
    """Replicas asked for."""
    missing_before: int
    """Replicas without a place before."""
    summary: str
    """The reasons counted, in the scheduler's form."""
    reasons: tuple[Reason, ...]
    """The reasons; empty where nothing of this change is the cause."""


@dataclass(frozen=True, slots=True)
class Devices:
    """The devices of a group of a pool at one time."""

    nodes: int
    """Nodes that are there."""
    devices: int
    """Devices that can be used."""
    used: int
    """Devices claimed by recorded pods."""
    headroom: int
    """Devices on nodes that the cloud can add."""

    @property
    def free(self) -> int:
        """Devices that nobody holds; below 0 where too much is recorded."""
        return self.devices - self.used


@dataclass(frozen=True, slots=True)
class PoolChange:
    """A device group of a pool before and after; null where there is no such pool, or its cluster is lost."""

    cluster: str
    """Cluster."""
    pool: str
    """Pool."""
    class_name: str
    """Hardware class."""
    group: str
    """Device group of the class."""
    before: Devices | None
    """Before."""
    after: Devices | None
    """After."""

    @property
    def changed(self) -> bool:
        return self.before != self.after


@dataclass(frozen=True, slots=True)
class CostChange:
    """What a team or a model costs, before and after."""

    kind: Literal["team", "model", "total"]
    """What it is the cost of."""
    name: str
    """Team or deployment; `(no team)` for namespaces that no team owns."""
    before: str
    """Before."""
    after: str
    """After."""
    difference: str
    """With its sign."""


@dataclass(frozen=True, slots=True)
class Rollout:
    """What Argo CD does to the pods of one workload."""

    cluster: str
    """Cluster."""
    namespace: str
    """Namespace."""
    kind: str
    """Kind of the workload."""
    name: str
    """Name of the workload."""
    deployment: str
    """Deployment that it belongs to."""
    action: Action
    """starts: it is new. restarts: its pod template changed. scales: only its number changed. stays: something else changed, and no pod.
    stops: Argo CD deletes it. orphaned: it leaves Git and goes on running."""
    replicas_before: int
    """Replicas before."""
    replicas: int
    """Replicas after."""
    because: tuple[str, ...]
    """What of the pod template changed."""
    at_once: bool
    """Whether a restart takes all its pods away before one is back."""


@dataclass(frozen=True, slots=True)
class ObjectChange:
    """An object that differs."""

    unit: str
    """Unit that holds it: the Argo CD Application."""
    kind: str
    """Kind."""
    namespace: str
    """Namespace; empty for cluster-wide ones."""
    name: str
    """Name."""
    what: What
    """added, changed or removed."""
    fate: Fate
    """Of a removed one: whether Argo CD deletes it, or it stays in the cluster."""
    plus: int
    """Lines added; 0 where the diff is left out."""
    minus: int
    """Lines removed; 0 where the diff is left out."""
    diff: str
    """Unified diff of its YAML; empty where so many objects change that nobody would read it."""


@dataclass(frozen=True, slots=True)
class ClusterChange:
    """What changes of the objects of one cluster; `root` is what Argo CD itself is told."""

    cluster: str
    """Cluster."""
    units_added: tuple[str, ...]
    """Units that are new."""
    units_removed: tuple[str, ...]
    """Units that are no longer listed."""
    objects: tuple[ObjectChange, ...]
    """Objects, by unit, kind and name."""

    def count(self, what: str) -> int:
        """How many objects are added, changed or removed."""
        return sum(found.what == what for found in self.objects)


@dataclass(frozen=True, slots=True)
class SecretNeed:
    """A key of a Secret that must be in a cluster and was not needed there before."""

    cluster: str
    """Cluster."""
    namespace: str
    """Namespace."""
    secret: str
    """Secret."""
    key: str
    """Key; empty where all of it is needed."""


@dataclass(frozen=True, slots=True)
class Change:
    """What a change does. Fields are only ever added."""

    version: Literal[1]
    """Of this form."""
    before: str
    """What the change is compared with."""
    after: str
    """What was compared."""
    headline: str
    """All of it in one line."""
    currency: str
    """Currency, as in ISO 4217."""
    alarms: tuple[Note, ...]
    """What is taken away, and what cannot be undone."""
    deployments: tuple[DeploymentChange, ...]
    """Placements that differ, by name."""
    shortfalls: tuple[Short, ...]
    """Every deployment that is short after the change, by name."""
    risks: tuple[Note, ...]
    """What may go wrong."""
    rollouts: tuple[Rollout, ...]
    """Workloads whose objects differ, by cluster and name."""
    pools: tuple[PoolChange, ...]
    """Every pool, by cluster and name."""
    costs: tuple[CostChange, ...]
    """Costs: the total, then each team, then each deployment."""
    secrets: tuple[SecretNeed, ...]
    """Secrets that somebody must bring."""
    clusters: tuple[ClusterChange, ...]
    """Objects that differ, by cluster."""
    notes: tuple[str, ...]
    """What this comparison leaves out."""
