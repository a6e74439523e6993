"""Fleets with a plan and the unit that is looked at. Each has its whole output under golden/."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from modelfleet.place.plan import Plan
from modelfleet.resolve.fleet import Cluster, Fleet

from . import doors, kinds
from .builders import NAMESPACE, cluster, deployment, engine, entry, fleet, gpu, placement, plan, plugin_gpu, pod, pool, scaling, team

KEY, MODEL, ROUTES, Scenario = kinds.KEY, kinds.MODEL, kinds.ROUTES, kinds.Scenario
TENANT = f"tenant/{NAMESPACE}"

SHORT = {"missing": 2, "summary": "0/5 clusters can take another: 3 InsufficientDevices, 2 SelectorMismatch"}
WRITTEN_ENGINE: dict[str, Any] = {
    "name": "engine",
    "image": "registry.example.com:5000/vllm@sha256:" + "0" * 64,
    "command": ["vllm", "serve"],
    "args": ["--served-model-name=$(MODELPLANE_SERVED_MODEL_NAME)", "--chat-template={{ messages }}", "--seed=012", "a\nb"],
    "env": [{"name": "MODELFLEET_RANK", "value": "7"}, {"name": "IP", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}}],
    "ports": [{"containerPort": 8000, "name": "api"}],
    "readinessProbe": {"httpGet": {"port": "api"}},
    "lifecycle": {"preStop": {"httpGet": {"port": 8000}}},
    "resources": {"requests": {"cpu": 4, "memory": "65536Mi"}, "claims": [{"name": "nic"}]},
    "securityContext": {"runAsUser": 2000, "capabilities": {"add": ["IPC_LOCK"]}},
    "volumeMounts": [{"name": "shm", "mountPath": "/dev/shm/"}, {"name": "template", "mountPath": "/templates"}],
}
SIDECAR: dict[str, Any] = {
    "name": "logger",
    "image": "busybox",
    "args": ["$(MODELFLEET_SERVED_MODEL_NAME)", "{{ not .ours }}"],
    "resources": {"limits": {"cpu": 0.5}},
}
WRITTEN_POD: dict[str, Any] = {
    "metadata": {"labels": {"app": "mine"}, "annotations": {"note": "mine"}},
    "spec": {
        "containers": [SIDECAR, WRITTEN_ENGINE],
        "initContainers": [{"name": "fetch", "image": "curlimages/curl:latest", "args": ["y"]}],
        "serviceAccountName": "model",
        "nodeSelector": {"disk": "fast"},
        "tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}],
        "topologySpreadConstraints": [],
        "terminationGracePeriodSeconds": 600,
        "volumes": [
            {"name": "shm", "emptyDir": {"medium": "Memory", "sizeLimit": "2048Mi"}},
            {"name": "template", "configMap": {"name": "chat"}},
        ],
        "resourceClaims": [{"name": "nic", "resourceClaimTemplateName": "nic"}],
    },
}


def scenarios() -> dict[str, Scenario]:
    """By a name that says what is looked at."""
    scaled = deployment(scaling=scaling())
    share = plan({KEY: placement(entry(2, minimum=1, maximum=3), wanted=2)})
    rack = cluster("rack", pool("l40s", plugin_gpu()), kubernetesVersion="1.29")
    two_pools = cluster(
        "east", pool("h100"), pool("h200", gpu(), node_taints=[{"key": "dedicated", "value": "h200", "effect": "NoExecute"}])
    )
    leaving = placement(entry(2), entry(1, pool="h200", retiring=True, replaced=1), wanted=2)
    offline = cluster("east", state="Offline")
    prune = {"removal": "Prune"}
    return {
        "fixed": (fleet(), plan({KEY: placement(entry(2), wanted=4, shortfall=SHORT)}), MODEL),
        "autoscaled": (fleet(scaled), share, MODEL),
        "suspended": (fleet(deployment(suspend=True)), plan(), MODEL),
        "suspended-autoscaled": (fleet(deployment(scaling=scaling(), suspend=True)), share, MODEL),
        "one-entry-retiring": (fleet(clusters=(two_pools,)), plan({KEY: leaving}), MODEL),
        "everything-written-by-the-user": (fleet(deployment(engine(template=WRITTEN_POD))), plan(), MODEL),
        "packed": (fleet(placement={"accounting": "Packed"}), plan(), MODEL),
        "rack-without-dra": (fleet(clusters=(rack,)), plan({KEY: placement(entry(1, "rack", "l40s"))}), MODEL),
        "removal-prune": (fleet(scaled, argocd=prune), share, MODEL),
        "two-copies": (fleet(deployment(engine(copies=2, template=pod({"image": "vllm"})))), plan({KEY: placement(entry(3))}), MODEL),
        **kinds.kinds(),
        **doors.doors(),
        "not-listed": (fleet(), plan({KEY: placement(entry(1, "west"))}), MODEL),
        "namespace-not-listed": (fleet(), plan({}), TENANT),
        "tenant": (fleet(), plan(), TENANT),
        "tenant-prune": (fleet(argocd=prune), plan(), TENANT),
        **_teams(),
        "base": (fleet(routing={"tokenSecretRef": {"name": "fleet-token"}}), plan(), "base"),
        "base-without-token": (fleet(clusters=(cluster(gateway={"className": "envoy-internal", "listenerPort": 8080}),)), plan(), "base"),
        "routes": (fleet(), plan(), ROUTES),
        "routes-retiring": (fleet(clusters=(two_pools,)), plan({KEY: placement(entry(1, retiring=True), wanted=0)}), ROUTES),
        "routes-withdrawn": (fleet(clusters=(offline,)), plan(), ROUTES),
        "root": (_company(), _company_plan(), "root"),
        "root-teams": (_teams()["tenant-team"][0], plan(), "root"),
        "root-stack": (_stacked(), plan(), "root"),
        "root-stack-prune": (_stacked(argocd={"removal": "Prune"}), plan(), "root"),
        "base-stack": (_stacked(), plan(), "base"),
        "root-prune": (fleet(argocd=prune, placement={"recorded": "Optional"}), plan(), "root"),
    }


def _teams() -> dict[str, Scenario]:
    """A namespace that a team owns, with Secrets out of a store; and one without a team that brings its own."""
    template = pod(
        {
            "env": [{"name": "T", "valueFrom": {"secretKeyRef": {"name": "hf-token", "key": "HF_TOKEN"}}}],
            "envFrom": [{"secretRef": {"name": "all-of-it", "optional": True}}],
        },
        imagePullSecrets=[{"name": "ghcr"}],
        volumes=[{"name": "tls", "secret": {"secretName": "tls", "items": [{"key": "ca.crt", "path": "ca.crt"}]}}],
    )
    needy = deployment(engine(template=template))
    limits = {"kubernetesQuota": {"requests.cpu": "2000m", "pods": "100", "requests.memory": "1024Gi"}, "egress": ["10.0.0.0/8"]}
    owner = team(groups=["acme:ml search", "CN=search,OU=ml"], podSecurity="Restricted", **limits)
    store = {"storeRef": {"name": "vault"}, "keyTemplate": "teams/{namespace}/{name}"}
    outside = cluster("east", gateway={"namespace": "edge"}, monitoring={"prometheusURL": "https://metrics.example.com/east"})
    token = {"tokenSecretRef": {"name": "fleet-token"}}
    return {
        "tenant-team": (fleet(needy, teams={"ml": owner}, secrets=store), plan(), TENANT),
        "tenant-team-prune": (fleet(needy, teams={"ml": owner}, secrets=store, argocd={"removal": "Prune"}), plan(), TENANT),
        "tenant-without-a-store": (fleet(needy, clusters=(outside,)), plan(), TENANT),
        "base-store": (fleet(routing=token, secrets=store), plan(), "base"),
    }


def _stacked(**spec: Any) -> Fleet:
    """A fleet with components, one of them only where its label says so, and an add-on whose values differ by cluster."""
    components = [
        {"name": "keda", "version": "2.21.0"},
        {"name": "keda", "version": "2.22.0", "environment": "development", "values": {"operator": {"replicaCount": 3}}},
        {"name": "envoy-gateway"},
        {"name": "inference-extension"},
        {"name": "kube-prometheus-stack", "mode": "Provided"},
    ]
    values = {"host": "{{ cluster.name }}.{{ fleet.name }}.example.com", "tier": '{{ cluster.labels["tier"] | upper }}', "plain": "{x}"}
    chart = {"repoURL": "https://weaviate.github.io/weaviate-helm", "name": "weaviate", "version": "17.6.0"}
    dashboards = {"repoURL": "https://git.example.com/acme/dashboards.git", "path": "deploy", "revision": "v1.4.0"}
    add_ons = {"weaviate": {"chart": chart, "values": values, "wave": 5}, "dashboards": {"git": dashboards, "namespace": "monitoring"}}
    east = labelled("east", tier="gold")
    west = labelled("west", tier="silver", **{"modelfleet.io/environment": "development"})
    own = replace(west, spec=west.spec.model_copy(update={"components": cluster(components=[{"name": "lws"}]).spec.components}))
    return fleet(clusters=(east, own), components=components, add_ons=add_ons, **spec)


def labelled(name: str, **labels: str) -> Cluster:
    """A cluster with labels."""
    return replace(cluster(name), labels=labels)


def _company() -> Fleet:
    hub = cluster("hub", destination={"server": "https://kubernetes.default.svc"})
    west = cluster("west", destination={"name": "west-1"})
    return fleet(
        clusters=(west, cluster("east"), hub), argocd={"targetRevision": "release/{{x}}", "namespace": "gitops", "plugin": "modelfleet-v1"}
    )


def _company_plan() -> Plan:
    return plan(
        {
            KEY: placement(entry(2), entry(1, "west", retiring=True), wanted=4, shortfall={**SHORT, "summary": "{{ range }} `x`"}),
            ("search", "ranker"): placement(entry(1)),
            ("voice", "asr"): placement(entry(1, "west")),
            ("voice", "gone"): placement(entry(1, "nowhere")),
        }
    )


SCENARIOS_OF_UNITS = {name: scenario for name, scenario in scenarios().items() if scenario[2] != "root"}
