"""The fleet as everything after `resolve` sees it: frozen, references followed, sorted by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from ..api.base import NodeTaint, Taint
from ..api.cluster import InferenceClusterSpec
from ..api.deployment import Engine, ModelDeploymentSpec
from ..api.fleet import FleetSpec
from ..api.hardware import InferenceClassSpec
from ..api.placement import PlacementSpec
from ..diagnostics import Location

if TYPE_CHECKING:
    from ..api.addon import AddOnSpec
    from ..api.cache import ModelCacheSpec
    from ..api.configmap import ConfigMap
    from ..api.endpoint import ModelEndpointSpec
    from ..api.gateway import InferenceGatewaySpec
    from ..api.service import ModelServiceSpec
    from ..api.team import TeamSpec


@dataclass(frozen=True, slots=True)
class Settings:
    """The Fleet document: its name and spec."""

    name: str
    spec: FleetSpec


@dataclass(frozen=True, slots=True)
class Pool:
    """A pool with its hardware class.

    nodes: how many are there and not wholly out of service. broken: devices out of service on some nodes, as (devices of
    each group, nodes). more_nodes: how many the cloud's autoscaler can add. price: of a node for an hour, in millionths of
    the fleet's currency; None if it is not declared.
    """

    name: str
    class_name: str
    hardware: InferenceClassSpec
    nodes: int
    node_selector: Mapping[str, str]
    taints: tuple[Taint, ...]
    broken: tuple[tuple[tuple[tuple[str, int], ...], int], ...] = ()
    reserved: tuple[tuple[str, int], ...] = ()
    more_nodes: int = 0
    headroom: Literal["LastResort", "Equal", "Never"] = "Never"
    spot: bool = False
    price: int | None = None

    @property
    def node_taints(self) -> tuple[NodeTaint, ...]:
        """Taints that the pool's nodes carry and its pods must tolerate."""
        return self.hardware.node_taints


@dataclass(frozen=True, slots=True)
class Cluster:
    """A cluster; `labels` include what its name and location say. leaving: its removal is approved."""

    name: str
    labels: Mapping[str, str]
    spec: InferenceClusterSpec
    pools: tuple[Pool, ...]
    leaving: bool = False

    def pool(self, name: str) -> Pool | None:
        return next((pool for pool in self.pools if pool.name == name), None)

    @property
    def version(self) -> tuple[int, int]:
        """(major, minor) of Kubernetes."""
        major, minor = self.spec.kubernetes_version.removeprefix("v").split(".")[:2]
        return int(major), int("".join(c for c in minor if c.isdigit()))


@dataclass(frozen=True, slots=True)
class Named:
    """What has a namespace and a name there."""

    namespace: str
    name: str

    @property
    def key(self) -> tuple[str, str]:
        return (self.namespace, self.name)

    @property
    def ref(self) -> str:
        return f"{self.namespace}/{self.name}"


@dataclass(frozen=True, slots=True)
class Deployment(Named):
    """A model deployment. location: where its document begins."""

    spec: ModelDeploymentSpec
    location: Location

    @property
    def wanted(self) -> int:
        return self.spec.wanted

    @property
    def model_name(self) -> str:
        """The name that callers send."""
        return self.spec.template.spec.serving.model_name or self.ref

    @property
    def engines(self) -> tuple[Engine, ...]:
        return self.spec.template.spec.engines

    def engine(self, name: str) -> Engine | None:
        return next((engine for engine in self.engines if engine.name == name), None)


@dataclass(frozen=True, slots=True)
class Service(Named):
    """A model service. leaving: its removal is approved."""

    labels: Mapping[str, str]
    spec: ModelServiceSpec
    location: Location
    leaving: bool = False


@dataclass(frozen=True, slots=True)
class Endpoint(Named):
    """A provider outside the fleet. leaving: its removal is approved."""

    labels: Mapping[str, str]
    spec: ModelEndpointSpec
    leaving: bool = False


@dataclass(frozen=True, slots=True)
class Front:
    """A front door and the cluster that it stands on. leaving: its removal is approved."""

    name: str
    cluster: str
    spec: InferenceGatewaySpec
    leaving: bool = False

    def serves(self, service: Service) -> bool:
        return self.spec.service_selector is None or self.spec.service_selector.matches(service.labels)

    @property
    def by_path(self) -> bool:
        return "Path" in self.spec.routing

    @property
    def by_model(self) -> bool:
        return "ModelName" in self.spec.routing


@dataclass(frozen=True, slots=True)
class Fleet:
    """Everything that was declared and recorded. Keys of what lives in a namespace are (namespace, name).

    teams, add_ons: by name. class_labels: labels of each class, on which quotas select. fronts: by the cluster that they stand on.
    namespaces: that have declarations, placed or not. left_out: those whose records cannot be read, in the root alone.
    leaving_caches: those whose removal is approved.

    A run that needs a part of the repository gets a part: then `deployments` and `placements` hold that part alone.
    """

    settings: Settings
    classes: Mapping[str, InferenceClassSpec]
    clusters: Mapping[str, Cluster]
    deployments: Mapping[tuple[str, str], Deployment]
    placements: Mapping[tuple[str, str], PlacementSpec]
    class_labels: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    teams: Mapping[str, TeamSpec] = field(default_factory=dict)
    caches: Mapping[tuple[str, str], ModelCacheSpec] = field(default_factory=dict)
    leaving_caches: frozenset[tuple[str, str]] = frozenset()
    config_maps: Mapping[tuple[str, str], ConfigMap] = field(default_factory=dict)
    services: Mapping[tuple[str, str], Service] = field(default_factory=dict)
    endpoints: Mapping[tuple[str, str], Endpoint] = field(default_factory=dict)
    fronts: Mapping[str, Front] = field(default_factory=dict)
    namespaces: frozenset[str] = frozenset()
    left_out: frozenset[str] = frozenset()
    add_ons: Mapping[str, AddOnSpec] = field(default_factory=dict)

    def team_of(self, namespace: str) -> tuple[str, TeamSpec] | None:
        """The team that owns a namespace, by name."""
        return next(((name, team) for name, team in self.teams.items() if namespace in team.namespaces), None)
