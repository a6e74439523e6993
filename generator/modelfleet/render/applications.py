"""AppProject and ApplicationSet: what the root prints. One Application for each unit of a cluster.

The settings are those that were tried against Argo CD 3.6: with `removal: Retire` nothing that serves is lost when an element, a set, an
Application or the root goes; with `Prune` it is plain GitOps.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .. import names
from ..api.fleet import FleetSpec
from ..api.placement import PlacementSpec
from ..resolve.fleet import Cluster
from . import report, sync
from .metadata import metadata
from .unit import Manifest, UnitId

if TYPE_CHECKING:  # the plugin pays for kinds that a unit has
    from ..api.team import TeamSpec

Kinds = Sequence[tuple[str, str]]
Placements = Mapping[tuple[str, str], PlacementSpec]

_PLATFORM: Kinds = (
    ("", "ConfigMap"),
    ("", "Service"),
    ("discovery.k8s.io", "EndpointSlice"),
    ("external-secrets.io", "ExternalSecret"),
    ("gateway.envoyproxy.io", "BackendTrafficPolicy"),
    ("gateway.envoyproxy.io", "ClientTrafficPolicy"),
    ("gateway.envoyproxy.io", "EnvoyProxy"),
    ("gateway.envoyproxy.io", "HTTPRouteFilter"),
    ("gateway.envoyproxy.io", "SecurityPolicy"),
    ("gateway.networking.k8s.io", "Gateway"),
    ("gateway.networking.k8s.io", "HTTPRoute"),
    ("monitoring.coreos.com", "PodMonitor"),
    ("monitoring.coreos.com", "PrometheusRule"),
)
_MODELS: Kinds = (
    ("", "ConfigMap"),
    ("", "PersistentVolumeClaim"),
    ("", "ResourceQuota"),
    ("", "Service"),
    ("", "ServiceAccount"),
    ("aigateway.envoyproxy.io", "AIGatewayRoute"),
    ("aigateway.envoyproxy.io", "AIServiceBackend"),
    ("aigateway.envoyproxy.io", "BackendSecurityPolicy"),
    ("apps", "Deployment"),
    ("batch", "Job"),
    ("external-secrets.io", "ExternalSecret"),
    ("gateway.envoyproxy.io", "Backend"),
    ("gateway.envoyproxy.io", "BackendTrafficPolicy"),
    ("gateway.envoyproxy.io", "HTTPRouteFilter"),
    ("gateway.networking.k8s.io", "HTTPRoute"),
    ("inference.networking.k8s.io", "InferencePool"),
    ("keda.sh", "ScaledObject"),
    ("leaderworkerset.x-k8s.io", "LeaderWorkerSet"),
    ("monitoring.coreos.com", "PodMonitor"),
    ("monitoring.coreos.com", "PrometheusRule"),
    ("networking.k8s.io", "NetworkPolicy"),
    ("policy", "PodDisruptionBudget"),
    ("rbac.authorization.k8s.io", "Role"),
    ("rbac.authorization.k8s.io", "RoleBinding"),
    ("resource.k8s.io", "ResourceClaimTemplate"),
)
# Before the sets: their controller gives up for three minutes on an Application whose project is not there yet.
PROJECTS = -1
# Who may own the number of replicas in place of Git: HPA's controller, and KEDA for 0 to 1 and for a pause.
_SCALERS = ("kube-controller-manager", "keda", "keda-operator")
_SCALED: Kinds = (("apps", "Deployment"), ("leaderworkerset.x-k8s.io", "LeaderWorkerSet"))


def platform_project(settings: FleetSpec, clusters: Sequence[Cluster]) -> Manifest:
    """The project of the base units: the system namespace of each cluster."""
    found = [{**destination(cluster), "namespace": names.SYSTEM_NAMESPACE} for cluster in clusters]
    gateway_class = {"group": "gateway.networking.k8s.io", "kind": "GatewayClass"}
    spec = _wall(settings, "System namespace and gateway of every cluster", found, _PLATFORM, [names.SYSTEM_NAMESPACE], gateway_class)
    return _project(settings, names.PROJECT_PLATFORM, spec)


def models_project(settings: FleetSpec, namespaces: Iterable[str]) -> Manifest:
    """The project of the namespaces that have placements and no team."""
    spec = _walled_in(settings, "Namespaces of models that belong to no team", namespaces)
    return _project(settings, names.PROJECT_MODELS, spec)


def team_project(settings: FleetSpec, name: str, team: TeamSpec) -> Manifest:
    """The project of a team: its namespaces and nothing else. Its groups see the Applications and sync them; they change nothing there."""
    project = names.team_project(name)
    spec = _walled_in(settings, f"Namespaces of team {name}", team.namespaces)
    if team.groups:
        allowed = (("applications", "get"), ("applications", "sync"), ("logs", "get"))
        policies = [f"p, proj:{project}:team, {resource}, {action}, {project}/*, allow" for resource, action in allowed]
        # In Argo CD's list of policies a comma ends a name that is not quoted.
        groups = [f'"{group}"' if "," in group else group for group in sorted(team.groups)]
        spec["roles"] = [{"name": "team", "description": f"People of team {name}", "groups": groups, "policies": policies}]
    return _project(settings, project, spec, {names.LABEL_TEAM: name})


def application_set(
    settings: FleetSpec, cluster: Cluster, units: Sequence[UnitId], placements: Placements, owners: Mapping[str, str]
) -> Manifest:
    """The Applications of a cluster's units, from literal elements: nothing outside the commit decides what exists.

    owners: the team of each namespace that has one. Of a cluster whose removal is approved the set may be pruned, and takes its
    Applications along; what they made stays.
    """
    argocd = settings.argocd
    retire = argocd.removal == "Retire"
    models = Counter(unit.namespace for unit in units if unit.deployment)
    elements = [_element(settings, unit, placements, models[unit.namespace], owners.get(unit.namespace, "")) for unit in units]
    found: dict[str, Any] = {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "ApplicationSet",
        "metadata": metadata(
            cluster.name,
            argocd.namespace,
            labels={names.LABEL_CLUSTER: cluster.name},
            annotations=sync.annotations_of("ApplicationSet", argocd.removal, retiring=cluster.leaving),
        ),
        "spec": {
            "generators": [{"list": {"elements": elements}}],
            "goTemplate": True,
            "goTemplateOptions": ["missingkey=error"],
            "preservedFields": {"annotations": [names.DELETION_APPROVED]},
            "syncPolicy": {"applicationsSync": "create-update" if retire else "sync", "preserveResourcesOnDeletion": retire},
            "template": {"metadata": _application_metadata(cluster, retire), "spec": _application_spec(settings, cluster, retire)},
        },
    }
    if retire and not cluster.leaving:
        found["metadata"]["finalizers"] = [names.CASCADE_FINALIZER]
    return found


def destination(cluster: Cluster) -> dict[str, str]:
    """The cluster in Argo CD: the declared name or server, else the cluster's own name."""
    declared = cluster.spec.destination
    if declared and declared.server:
        return {"server": declared.server}
    return {"name": declared.name if declared and declared.name else cluster.name}


def _walled_in(settings: FleetSpec, description: str, namespaces: Iterable[str]) -> dict[str, Any]:
    """The wall around namespaces of models.

    On whatever cluster: a namespace that leaves a cluster still needs its Applications there to prune what was retired, and Argo CD
    stops an Application whose destination its project does not name.
    """
    found = sorted(set(namespaces))
    return _wall(settings, description, [{"server": "*", "namespace": namespace} for namespace in found], _MODELS, found)


def _wall(
    settings: FleetSpec,
    description: str,
    destinations: Sequence[Mapping[str, str]],
    kinds: Kinds,
    namespaces: Sequence[str],
    *more: Mapping[str, str],
) -> dict[str, Any]:
    """What an Application of a project may write: kinds, in these places, from this repository alone, and the Namespaces by name."""
    return {
        "clusterResourceWhitelist": [{"group": "", "kind": "Namespace", "name": namespace} for namespace in namespaces] + list(more),
        "description": description,
        "destinations": list(destinations),
        "namespaceResourceWhitelist": [{"group": group, "kind": kind} for group, kind in kinds],
        "sourceRepos": [settings.argocd.repo_url],
    }


def _project(settings: FleetSpec, name: str, spec: Mapping[str, Any], labels: Mapping[str, str] | None = None) -> Manifest:
    argocd = settings.argocd
    known = {names.LABEL_MANAGED_BY: names.MANAGED_BY, **(labels or {})}
    notes = sync.annotations_of("AppProject", argocd.removal, wave=PROJECTS)
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "AppProject",
        "metadata": metadata(name, argocd.namespace, labels=known, annotations=notes),
        "spec": spec,
    }


def _element(settings: FleetSpec, unit: UnitId, placements: Placements, models: int, team: str) -> dict[str, str]:
    """What the template reads of a unit; every key is there for every unit, since a missing one is an error.

    models: deployments of the unit's namespace on its cluster. team: the namespace's owner, or empty.
    """
    project = names.team_project(team) if team else names.PROJECT_MODELS if unit.namespace else names.PROJECT_PLATFORM
    model = placements.get((unit.namespace, unit.deployment))
    return {
        "name": names.application(unit.cluster, unit.name),
        "folder": names.folder(unit.namespace),
        "kind": unit.kind,
        "namespace": unit.namespace or names.SYSTEM_NAMESPACE,
        "paths": _paths(settings, unit),
        "project": project,
        "shortfall": report.shortfall(model) if model else "",
        "summary": report.summary(model, unit.cluster) if model else report.count(models) if unit.namespace else "gateway",
        "team": team,
        "unit": unit.name,
    }


def _paths(settings: FleetSpec, unit: UnitId) -> str:
    """What Argo CD watches for the unit."""
    if settings.argocd.delivery == "Rendered":
        return f"/{names.rendered(unit.cluster, unit.name)}"
    return names.manifest_paths(unit.kind, unit.namespace, settings.placement.recorded == "Required")


def _source(settings: FleetSpec, cluster: Cluster) -> dict[str, Any]:
    """Where an Application's manifests come from: the plugin, or the unit's folder of plain YAML."""
    argocd = settings.argocd
    found = {"repoURL": literal(argocd.repo_url), "targetRevision": literal(argocd.target_revision)}
    if argocd.delivery == "Rendered":
        return {**found, "path": names.rendered(cluster.name, "{{.unit}}")}
    parameters = [{"name": "cluster", "string": cluster.name}, {"name": "unit", "string": "{{.unit}}"}]
    return {**found, "path": ".", "plugin": {"name": argocd.plugin, "parameters": parameters}}


def _application_metadata(cluster: Cluster, retire: bool) -> dict[str, Any]:
    """No finalizer under Retire: deleting an Application must leave what runs alone."""
    notes = {
        names.MANIFEST_PATHS: "{{.paths}}",
        names.ANNOTATION_FOLDER: "{{.folder}}",
        names.ANNOTATION_PLACEMENT: "{{.summary}}",
        names.ANNOTATION_SHORTFALL: "{{.shortfall}}",
    }
    labels = {names.LABEL_CLUSTER: cluster.name, names.LABEL_TEAM: "{{.team}}", names.LABEL_UNIT: "{{.kind}}"}
    found = metadata("{{.name}}", labels=labels, annotations=notes)
    return found if retire else {**found, "finalizers": [names.CASCADE_FINALIZER]}


def _application_spec(settings: FleetSpec, cluster: Cluster, retire: bool) -> dict[str, Any]:
    options = ["ServerSideApply=true", "RespectIgnoreDifferences=true", "ApplyOutOfSyncOnly=true"]
    return {
        "destination": {**destination(cluster), "namespace": "{{.namespace}}"},
        "ignoreDifferences": [{"group": group, "kind": kind, "managedFieldsManagers": list(_SCALERS)} for group, kind in _SCALED],
        "project": "{{.project}}",
        "source": _source(settings, cluster),
        "syncPolicy": {
            "automated": {"allowEmpty": False, "prune": True, "selfHeal": True},
            "retry": {"backoff": {"duration": "10s", "factor": 2, "maxDuration": "3m"}, "limit": 5, "refresh": True},
            "syncOptions": [*options, "Prune=false", "Delete=confirm"] if retire else options,
        },
    }


def literal(text: str) -> str:
    """A text in a Go template that stands for itself."""
    return text.replace("{{", '{{ "{{" }}')
