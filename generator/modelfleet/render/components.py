"""The ApplicationSet of what a cluster gets besides models, and its AppProject: charts and Git folders, no plugin.

Argo CD knows no order among the Applications of a set. The elements stand in the order of their waves, so that they are made in it, and
what finds a definition missing tries again until the component before has brought it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from .. import names
from ..api.fleet import FleetSpec
from ..resolve.fleet import Cluster
from ..resolve.stack import Installed
from . import sync
from .applications import destination
from .metadata import metadata
from .unit import Manifest

Part = dict[str, Any]

_UNIT = "stack"
_CA_BUNDLE = ".webhooks[]?.clientConfig.caBundle"
# Controllers write their own certificates into what they serve.
_WRITTEN_BY_OTHERS: list[Part] = [
    {"group": "admissionregistration.k8s.io", "kind": "MutatingWebhookConfiguration", "jqPathExpressions": [_CA_BUNDLE]},
    {"group": "admissionregistration.k8s.io", "kind": "ValidatingWebhookConfiguration", "jqPathExpressions": [_CA_BUNDLE]},
    {
        "group": "apiextensions.k8s.io",
        "kind": "CustomResourceDefinition",
        "jqPathExpressions": [".spec.conversion.webhook.clientConfig.caBundle"],
    },
]


def stack_project(settings: FleetSpec, found: Sequence[tuple[Cluster, Sequence[Installed]]]) -> Manifest:
    """The project of all that is installed: any kind, since charts bring definitions and roles; only these repositories and namespaces."""
    places = {
        (tuple(sorted(destination(cluster).items())), namespace)
        for cluster, items in found
        for item in items
        for namespace in (item.namespace, *item.also)
    }
    everything = [{"group": "*", "kind": "*"}]
    notes = sync.annotations_of("AppProject", settings.argocd.removal)
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "AppProject",
        "metadata": metadata(names.PROJECT_STACK, settings.argocd.namespace, annotations=notes),
        "spec": {
            "clusterResourceWhitelist": everything,
            "description": "Components and add-ons of every cluster",
            "destinations": [{**dict(place), "namespace": namespace} for place, namespace in sorted(places)],
            "namespaceResourceWhitelist": everything,
            "sourceRepos": sorted({item.repo_url for _, items in found for item in items}),
        },
    }


def stack_set(settings: FleetSpec, cluster: Cluster, items: Sequence[Installed]) -> Manifest:
    """The Applications of a cluster's components and add-ons. A generator for charts and one for folders: a folder has no values."""
    argocd, retire = settings.argocd, settings.argocd.removal == "Retire"
    charts, folders = [item for item in items if item.chart], [item for item in items if item.path]
    generators = [_generator(cluster, found, source) for found, source in ((charts, _chart()), (folders, _folder())) if found]
    found: Manifest = {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "ApplicationSet",
        "metadata": metadata(
            names.stack_set(cluster.name),
            argocd.namespace,
            labels={names.LABEL_CLUSTER: cluster.name},
            annotations=sync.annotations_of("ApplicationSet", argocd.removal),
        ),
        "spec": {
            "generators": generators,
            "goTemplate": True,
            "goTemplateOptions": ["missingkey=error"],
            "preservedFields": {"annotations": [names.DELETION_APPROVED]},
            "syncPolicy": {"applicationsSync": "create-update" if retire else "sync", "preserveResourcesOnDeletion": retire},
            "template": {"metadata": _application_metadata(cluster, retire), "spec": _application_spec(cluster, retire)},
        },
    }
    if retire:
        found["metadata"]["finalizers"] = [names.CASCADE_FINALIZER]
    return found


def _generator(cluster: Cluster, items: Sequence[Installed], source: Part) -> Part:
    """A list of elements with the part of the template that is theirs alone."""
    whole = {"metadata": {}, "spec": {"destination": {}, "project": names.PROJECT_STACK, "source": source}}
    return {"list": {"elements": [_element(cluster, item) for item in items], "template": whole}}


def _element(cluster: Cluster, item: Installed) -> dict[str, str]:
    """What the template reads of a component. Values are JSON, which is YAML too, and no template of Argo CD."""
    found = {"component": item.name, "name": names.application(cluster.name, f"{_UNIT}/{item.name}"), "namespace": item.namespace}
    found |= {"repoURL": item.repo_url, "revision": item.version, "wave": str(item.wave)}
    if item.path:
        return {**found, "path": item.path}
    return {**found, "chart": item.chart, "values": json.dumps(item.values, indent=2, sort_keys=True, ensure_ascii=False)}


def _chart() -> Part:
    helm = {"releaseName": "{{.component}}", "values": "{{.values}}"}
    return {"chart": "{{.chart}}", "helm": helm, "repoURL": "{{.repoURL}}", "targetRevision": "{{.revision}}"}


def _folder() -> Part:
    return {"path": "{{.path}}", "repoURL": "{{.repoURL}}", "targetRevision": "{{.revision}}"}


def _application_metadata(cluster: Cluster, retire: bool) -> Part:
    labels = {names.LABEL_CLUSTER: cluster.name, names.LABEL_COMPONENT: "{{.component}}", names.LABEL_UNIT: _UNIT}
    found = metadata("{{.name}}", labels=labels, annotations={names.LABEL_WAVE: "{{.wave}}"})
    return found if retire else {**found, "finalizers": [names.CASCADE_FINALIZER]}


def _application_spec(cluster: Cluster, retire: bool) -> Part:
    """A chart's next version may leave out a definition, and with that goes everything of its kind: under Retire somebody confirms."""
    options = ["CreateNamespace=true", "ServerSideApply=true", "RespectIgnoreDifferences=true", "SkipDryRunOnMissingResource=true"]
    return {
        "destination": {**destination(cluster), "namespace": "{{.namespace}}"},
        "ignoreDifferences": _WRITTEN_BY_OTHERS,
        "project": names.PROJECT_STACK,
        "syncPolicy": {
            "automated": {"allowEmpty": False, "prune": True, "selfHeal": True},
            "retry": {"backoff": {"duration": "10s", "factor": 2, "maxDuration": "5m"}, "limit": 20, "refresh": True},
            "syncOptions": [*options, "Prune=confirm", "Delete=confirm"] if retire else options,
        },
    }
