"""A workload: one engine of a deployment on one pool of a cluster, as the records say. What engines, claims and scaling render."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from .. import names
from ..api.base import duration_seconds
from ..api.engine import Alternative, Engine
from ..api.fleet import FleetSpec
from ..api.placement import EngineChoice, PlacementEntry, PlacementSpec
from ..api.scaling import EngineScaling, Scaling
from ..resolve.fleet import Cluster, Deployment, Fleet, Pool
from .sync import Removal

if TYPE_CHECKING:  # the plugin does not pay for the placer, nor for kinds that a unit has none of
    from ..api.cache import ModelCacheSpec
    from ..api.configmap import ConfigMap
    from ..api.deployment import Serving
    from ..place.plan import Plan

Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Workload:
    """An engine on a pool with an alternative.

    entries: the recorded entries that choose it, at least one. Entries that differ only in the choice of another engine share this
    one's workload, so their numbers add up. placement: the whole record, of which the entries are a part. route_pods: most pods of all
    workloads on the cluster that the same requests pass through. cache: the deployment's, if it has one. config_maps: those of its
    namespace by name.
    """

    name: str
    settings: FleetSpec
    cluster: Cluster
    deployment: Deployment
    engine: Engine
    pool: Pool
    choice: EngineChoice
    entries: tuple[PlacementEntry, ...]
    placement: PlacementSpec
    route_pods: int = 0
    cache: ModelCacheSpec | None = None
    config_maps: Mapping[str, ConfigMap] = field(default_factory=dict)

    @property
    def removal(self) -> Removal:
        return self.settings.argocd.removal

    @property
    def namespace(self) -> str:
        return self.deployment.namespace

    @property
    def alternative(self) -> Alternative | None:
        """The alternative that is recorded."""
        return next((a for a in self.engine.alternatives if a.name == self.choice.alternative), None)

    @property
    def gang(self) -> bool:
        """Whether a copy of the engine is a leader with its workers."""
        return len(self.engine.members) > 1

    @property
    def serving(self) -> Serving:
        return self.deployment.spec.template.spec.serving

    @property
    def startup_seconds(self) -> int:
        return duration_seconds(self.serving.startup_timeout)

    @property
    def grace_seconds(self) -> int:
        return duration_seconds(self.serving.termination_grace_period)

    @property
    def retiring(self) -> bool:
        """Whether nothing but retiring entries needs this workload."""
        return all(entry.retiring for entry in self.entries)

    @property
    def scaling(self) -> Scaling | EngineScaling | None:
        """What a scaler follows; None where nothing but Git owns the number of copies."""
        if self.engine.scaling is not None:
            return self.engine.scaling
        return self.deployment.spec.scaling if any(entry.maximum is not None for entry in self.entries) else None

    @property
    def autoscaled(self) -> bool:
        """Whether a scaler owns the number of copies."""
        return self.scaling is not None

    @property
    def suspended(self) -> bool:
        return self.deployment.spec.suspend

    @property
    def replicas_here(self) -> int:
        """Replicas of the deployment that the entries reserve here."""
        return sum(entry.count for entry in self.entries)

    @property
    def count(self) -> int:
        """Copies (pods, or gangs) that are reserved here."""
        return self.replicas_here * (self.engine.scaling.reserved if self.engine.scaling else self.engine.copies)

    @property
    def minimum(self) -> int:
        """Fewest copies here."""
        if self.engine.scaling:
            return self.replicas_here * self.engine.scaling.min_copies
        return sum(entry.minimum for entry in self.entries) * self.engine.copies

    @property
    def maximum(self) -> int:
        """Most copies here."""
        if self.engine.scaling:
            return self.replicas_here * self.engine.scaling.max_copies
        return sum(entry.count if entry.maximum is None else entry.maximum for entry in self.entries) * self.engine.copies

    @property
    def replicas(self) -> int:
        """The number that is printed: a scaler starts from its minimum, what is suspended runs nothing."""
        if self.suspended:
            return 0
        return self.minimum if self.autoscaled else self.count

    @property
    def role(self) -> str:
        """Role of the pods that answer: Standalone or Leader."""
        return "Leader" if self.gang else "Standalone"

    @property
    def selector(self) -> dict[str, str]:
        """Label that this workload's pods carry and no others."""
        return {names.LABEL_WORKLOAD: self.name}

    @property
    def labels(self) -> dict[str, str]:
        """Labels of the workload's objects, and of the pods that answer."""
        return {
            **names.common_labels(self.namespace, self.deployment.name, self.cluster.name),
            names.LABEL_ENGINE: self.engine.name,
            names.LABEL_POOL: self.pool.name,
            names.LABEL_ROLE: self.role,
            **self.selector,
        }


def entries_on(spec: PlacementSpec, cluster: str) -> tuple[PlacementEntry, ...]:
    """The entries of a placement on a cluster."""
    return tuple(entry for entry in spec.replicas if entry.cluster == cluster)


def workloads(fleet: Fleet, plan: Plan, cluster: Cluster, key: Key) -> list[Workload]:
    """The workloads of a deployment on a cluster, sorted by name.

    The records must fit the declarations (`checks` sees to it): KeyError otherwise, a fault of ours. Of entries that share a
    workload, the first one's device groups are taken.
    """
    deployment, placement = fleet.deployments[key], plan.placements[key]
    chosen: dict[str, tuple[str, list[PlacementEntry]]] = {}
    for entry in entries_on(placement, cluster.name):
        for engine, choice in entry.engines.items():
            chosen.setdefault(_name(deployment, engine, choice), (engine, []))[1].append(entry)
    reference = deployment.spec.template.spec.model_cache_ref
    cache = fleet.caches[deployment.namespace, reference.name] if reference else None
    config_maps = {name: value for (namespace, name), value in fleet.config_maps.items() if namespace == deployment.namespace}
    found = []
    for name in sorted(chosen):
        engine, entries = chosen[name]
        declared, pool, choice = _parts(deployment, cluster, engine, entries[0].engines[engine])
        one = Workload(name, fleet.settings.spec, cluster, deployment, declared, pool, choice, tuple(entries), placement)
        found.append(replace(one, cache=cache, config_maps=config_maps))
    return [replace(one, route_pods=sum(other.maximum for other in found if other.engine.phase == one.engine.phase)) for one in found]


def _name(deployment: Deployment, engine: str, choice: EngineChoice) -> str:
    declared = deployment.engine(engine)
    name = names.gang if declared and len(declared.members) > 1 else names.workload
    return name(deployment.namespace, deployment.name, engine, choice.pool, choice.alternative or "")


def _parts(deployment: Deployment, cluster: Cluster, engine: str, choice: EngineChoice) -> tuple[Engine, Pool, EngineChoice]:
    declared, pool = deployment.engine(engine), cluster.pool(choice.pool)
    if declared is None or pool is None:
        raise KeyError(f"{deployment.ref}: cluster {cluster.name} has no pool {choice.pool}, or there is no engine {engine}")
    return declared, pool, choice
