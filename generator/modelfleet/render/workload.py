"""A workload: one engine of a deployment on one pool of a cluster, as the records say. What engines, claims and scaling render."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .. import names
from ..api.base import duration_seconds
from ..api.deployment import DeviceRequest, Engine, Member, Serving
from ..api.fleet import FleetSpec
from ..api.hardware import Device
from ..api.placement import EngineChoice, PlacementEntry, PlacementSpec
from ..resolve.fleet import Cluster, Deployment, Fleet, Pool
from .sync import Removal

if TYPE_CHECKING:  # the plugin does not pay for the placer
    from ..place.plan import Plan

Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Workload:
    """An engine on a pool with an alternative. entries: the recorded entries that choose it, at least one.

    Entries that differ only in the choice of another engine share this one's workload, so their numbers add up.
    """

    name: str
    settings: FleetSpec
    cluster: Cluster
    deployment: Deployment
    engine: Engine
    pool: Pool
    choice: EngineChoice
    entries: tuple[PlacementEntry, ...]

    @property
    def removal(self) -> Removal:
        return self.settings.argocd.removal

    @property
    def namespace(self) -> str:
        return self.deployment.namespace

    @property
    def member(self) -> Member:
        return self.engine.members[0]

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
    def port_name(self) -> str:
        """Name of the serving port in the engine's container."""
        return port_name(self.engine, self.serving)

    @property
    def retiring(self) -> bool:
        """Whether nothing but retiring entries needs this workload."""
        return all(entry.retiring for entry in self.entries)

    @property
    def autoscaled(self) -> bool:
        """Whether a scaler owns the number of pods."""
        return self.deployment.spec.scaling is not None and any(entry.maximum is not None for entry in self.entries)

    @property
    def suspended(self) -> bool:
        return self.deployment.spec.suspend

    @property
    def count(self) -> int:
        """Pods that are reserved here."""
        return sum(entry.count for entry in self.entries) * self.engine.copies

    @property
    def minimum(self) -> int:
        """Fewest pods here."""
        return sum(entry.minimum for entry in self.entries) * self.engine.copies

    @property
    def maximum(self) -> int:
        """Most pods here."""
        return sum(entry.count if entry.maximum is None else entry.maximum for entry in self.entries) * self.engine.copies

    @property
    def replicas(self) -> int:
        """The number that is printed: a scaler starts from its minimum, what is suspended runs nothing."""
        if self.suspended:
            return 0
        return self.minimum if self.autoscaled else self.count

    @property
    def devices(self) -> tuple[tuple[DeviceRequest, Device], ...]:
        """Each device request with the recorded group that serves it, in the order in which requests were written."""
        groups = {device.name: device for device in self.pool.hardware.devices}
        return tuple((request, groups[self.choice.devices[request.name]]) for request in self.member.node_selector.devices)

    @property
    def device_count(self) -> int:
        """Devices that one pod takes; synthetic ones are matched and never taken."""
        return sum(request.count for request, device in self.devices if device.claim != "Synthetic")

    @property
    def selector(self) -> dict[str, str]:
        """Label that this workload's pods carry and no others."""
        return {names.LABEL_WORKLOAD: self.name}

    @property
    def labels(self) -> dict[str, str]:
        """Labels of the workload's objects and pods."""
        return {
            **names.common_labels(self.namespace, self.deployment.name, self.cluster.name),
            names.LABEL_ENGINE: self.engine.name,
            names.LABEL_POOL: self.pool.name,
            names.LABEL_ROLE: self.member.role,
            **self.selector,
        }


def port_name(engine: Engine, serving: Serving) -> str:
    """Name of an engine's serving port: the user's, else `http`, else one that no port of the container has."""
    containers = engine.members[0].template.spec["containers"]
    written = next(c for c in containers if c.get("name") == names.ENGINE_CONTAINER).get("ports") or ()
    ours = next((port.get("name") for port in written if port.get("containerPort") == serving.port), None)
    taken = {port.get("name") for container in containers for port in container.get("ports") or ()}
    return str(ours) if ours else names.PORT if names.PORT not in taken else names.OTHER_PORT


def entries_on(spec: PlacementSpec, cluster: str) -> tuple[PlacementEntry, ...]:
    """The entries of a placement on a cluster."""
    return tuple(entry for entry in spec.replicas if entry.cluster == cluster)


def workloads(fleet: Fleet, plan: Plan, cluster: Cluster, key: Key) -> list[Workload]:
    """The workloads of a deployment on a cluster, sorted by name.

    The records must fit the declarations (`resolve` sees to it): KeyError otherwise, a fault of ours. Of entries that share a
    workload, the first one's device groups are taken.
    """
    chosen: dict[str, tuple[str, list[PlacementEntry]]] = {}
    for entry in entries_on(plan.placements[key], cluster.name):
        for engine, choice in entry.engines.items():
            name = names.workload(*key, engine, choice.pool, choice.alternative or "")
            chosen.setdefault(name, (engine, []))[1].append(entry)
    return [_workload(fleet, cluster, fleet.deployments[key], name, *chosen[name]) for name in sorted(chosen)]


def _workload(fleet: Fleet, cluster: Cluster, deployment: Deployment, name: str, engine: str, entries: list[PlacementEntry]) -> Workload:
    choice = entries[0].engines[engine]
    declared, pool = deployment.engine(engine), cluster.pool(choice.pool)
    if declared is None or pool is None:
        raise KeyError(f"{deployment.ref}: cluster {cluster.name} has no pool {choice.pool}, or there is no engine {engine}")
    return Workload(name, fleet.settings.spec, cluster, deployment, declared, pool, choice, tuple(entries))
