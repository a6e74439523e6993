"""The entries. Renovate reads the lines `version=` below the comments `renovate:`."""

from __future__ import annotations

from . import Entry

_GPU_TAINT = {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
_TWO_REPLICAS_LESS = {"replicaCount": 1}

_ENTRIES = (
    Entry(
        "cert-manager",
        "https://charts.jetstack.io",
        # renovate: datasource=helm registryUrl=https://charts.jetstack.io depName=cert-manager
        version="v1.21.2",
        namespace="cert-manager",
        wave=-30,
        seen="module github.com/cert-manager/cert-manager, 2026-11-30",
        chart="cert-manager",
        values={"crds": {"enabled": True, "keep": True}, "replicaCount": 2},
        small=_TWO_REPLICAS_LESS,
        also=("kube-system",),
    ),
    Entry(
        "external-secrets",
        "https://charts.external-secrets.io",
        # renovate: datasource=helm registryUrl=https://charts.external-secrets.io depName=external-secrets
        version="1.3.2",
        namespace="external-secrets",
        wave=-30,
        seen="module github.com/external-secrets/external-secrets, 2026-11-30; what is rendered is tried against its definitions",
        chart="external-secrets",
        values={"installCRDs": True, "replicaCount": 2, "leaderElect": True},
        small=_TWO_REPLICAS_LESS,
    ),
    Entry(
        "kube-prometheus-stack",
        "https://prometheus-community.github.io/helm-charts",
        # renovate: datasource=helm registryUrl=https://prometheus-community.github.io/helm-charts depName=kube-prometheus-stack
        version="84.4.0",
        namespace="monitoring",
        wave=-20,
        seen="Modelplane's component lists, 2026-11-30",
        chart="kube-prometheus-stack",
        values={
            "fullnameOverride": "prometheus",
            # The operator's own Service is `prometheus-operated`, which is what prometheusURL names by default.
            "prometheus": {
                "prometheusSpec": {
                    "podMonitorSelectorNilUsesHelmValues": False,
                    "ruleSelectorNilUsesHelmValues": False,
                    "serviceMonitorSelectorNilUsesHelmValues": False,
                    "replicas": 2,
                    "retention": "15d",
                }
            },
            "grafana": {"sidecar": {"dashboards": {"enabled": True, "searchNamespace": "ALL"}}},
        },
        small={"prometheus": {"prometheusSpec": {"replicas": 1, "retention": "2d"}}, "alertmanager": {"enabled": False}},
        also=("kube-system",),
    ),
    Entry(
        "node-feature-discovery",
        "registry.k8s.io/nfd/charts",
        # renovate: datasource=docker depName=registry.k8s.io/nfd/charts/node-feature-discovery
        version="0.19.0",
        namespace="node-feature-discovery",
        wave=-20,
        seen="Modelplane's component lists, 2026-11-30",
        chart="node-feature-discovery",
        values={"worker": {"tolerations": [_GPU_TAINT]}},
    ),
    Entry(
        "nvidia-gpu-operator",
        "https://helm.ngc.nvidia.com/nvidia",
        # renovate: datasource=helm registryUrl=https://helm.ngc.nvidia.com/nvidia depName=gpu-operator
        version="v26.7.0",
        namespace="gpu-operator",
        wave=-10,
        seen="NVIDIA's cloud-native documentation, 2026-11-30",
        chart="gpu-operator",
        # A node's devices are either claimed by DRA or counted by the plugin: the plugin is switched on where a class says so.
        values={"devicePlugin": {"enabled": False}, "nfd": {"enabled": False}},
        needs=("node-feature-discovery",),
    ),
    Entry(
        "nvidia-dra-driver",
        "registry.k8s.io/dra-driver-nvidia/charts",
        # renovate: datasource=docker depName=registry.k8s.io/dra-driver-nvidia/charts/dra-driver-nvidia-gpu
        version="0.5.0",
        namespace="nvidia-dra-driver",
        wave=0,
        seen="source of the driver, 2026-11-30",
        chart="dra-driver-nvidia-gpu",
        values={"gpuResourcesEnabledOverride": True, "resources": {"computeDomains": {"enabled": False}}},
    ),
    Entry(
        "amd-dra-driver",
        "https://rocm.github.io/k8s-gpu-dra-driver",
        # renovate: datasource=helm registryUrl=https://rocm.github.io/k8s-gpu-dra-driver depName=k8s-gpu-dra-driver
        version="v1.0.0",
        namespace="amd-dra-driver",
        wave=0,
        seen="release notes of ROCm/k8s-gpu-dra-driver v1.0.0, 2026-12-01",
        chart="k8s-gpu-dra-driver",
    ),
    Entry(
        "intel-dra-driver",
        "ghcr.io/intel/intel-resource-drivers-for-kubernetes",
        version="",
        namespace="intel-dra-driver",
        wave=0,
        seen="",
        chart="intel-gpu-resource-driver-chart",
    ),
    Entry(
        "lws",
        "registry.k8s.io/lws/charts",
        # renovate: datasource=docker depName=registry.k8s.io/lws/charts/lws
        version="v0.8.0",
        namespace="lws-system",
        wave=0,
        seen="Modelplane's component lists, 2026-11-30; what is rendered for it is tried against v0.9.0",
        chart="lws",
        values={"replicaCount": 2},
        small=_TWO_REPLICAS_LESS,
    ),
    Entry(
        "keda",
        "https://kedacore.github.io/charts",
        # renovate: datasource=helm registryUrl=https://kedacore.github.io/charts depName=keda
        version="2.21.0",
        namespace="keda",
        wave=0,
        seen="module github.com/kedacore/keda/v2 v2.21.0, 2026-11-30; what is rendered for it is tried against its definitions",
        chart="keda",
        # Its own metrics say which scaler cannot read its signal.
        values={"operator": {"replicaCount": 2}, "prometheus": {"operator": {"enabled": True, "podMonitor": {"enabled": True}}}},
        small={"operator": {"replicaCount": 1}},
        needs=("kube-prometheus-stack",),
        also=("kube-system",),
    ),
    Entry(
        "envoy-gateway",
        "docker.io/envoyproxy",
        # renovate: datasource=docker depName=docker.io/envoyproxy/gateway-helm
        version="v1.9.1",
        namespace="envoy-gateway-system",
        wave=0,
        seen="module github.com/envoyproxy/gateway v1.9.1, 2026-11-30; requests were sent through what is rendered for it",
        chart="gateway-helm",
        # The chart brings the definitions of Gateway API that it was built with.
        values={"config": {"envoyGateway": {"extensionApis": {"enableBackend": True}}}, "deployment": {"replicas": 2}},
        small={"deployment": {"replicas": 1}},
    ),
    Entry(
        "inference-extension",
        "https://github.com/kubernetes-sigs/gateway-api-inference-extension",
        # renovate: datasource=github-tags depName=kubernetes-sigs/gateway-api-inference-extension
        version="v1.6.0",
        namespace="default",  # nothing but definitions, which have no namespace
        wave=-10,
        seen="its Go module, 2026-11-30; what is rendered is tried against its definitions",
        path="config/crd",
    ),
    Entry(
        "envoy-ai-gateway-crds",
        "docker.io/envoyproxy",
        # renovate: datasource=docker depName=docker.io/envoyproxy/ai-gateway-crds-helm
        version="v1.1.0",
        namespace="envoy-ai-gateway-system",
        wave=-10,
        seen="Modelplane's component lists, 2026-11-30",
        chart="ai-gateway-crds-helm",
    ),
    Entry(
        "envoy-ai-gateway",
        "docker.io/envoyproxy",
        # renovate: datasource=docker depName=docker.io/envoyproxy/ai-gateway-helm
        version="v1.1.0",
        namespace="envoy-ai-gateway-system",
        wave=10,
        seen="Modelplane's component lists, 2026-11-30",
        chart="ai-gateway-helm",
        needs=("envoy-ai-gateway-crds", "envoy-gateway", "inference-extension"),
    ),
    Entry(
        "dcgm-exporter",
        "https://nvidia.github.io/dcgm-exporter/helm-charts",
        # renovate: datasource=helm registryUrl=https://nvidia.github.io/dcgm-exporter/helm-charts depName=dcgm-exporter
        version="4.8.2",
        namespace="monitoring",
        wave=10,
        seen="documentation of GPU operator 26.3.2, 2026-11-30",
        chart="dcgm-exporter",
        values={"serviceMonitor": {"enabled": True}, "tolerations": [_GPU_TAINT]},
        needs=("kube-prometheus-stack",),
    ),
    Entry(
        "loki",
        "https://grafana.github.io/helm-charts",
        # renovate: datasource=helm registryUrl=https://grafana.github.io/helm-charts depName=loki
        version="6.24.0",
        namespace="logging",
        wave=10,
        seen="a published configuration, 2026-11-30; older than what is current",
        chart="loki",
        values={
            "deploymentMode": "SingleBinary",
            "loki": {
                "auth_enabled": False,
                "commonConfig": {"replication_factor": 1},
                "storage": {"type": "filesystem"},
                "useTestSchema": True,
            },
            **{part: {"replicas": 0} for part in ("backend", "read", "write")},
            "singleBinary": {"replicas": 1},
        },
    ),
    Entry(
        "opentelemetry-collector",
        "https://open-telemetry.github.io/opentelemetry-helm-charts",
        # renovate: datasource=helm registryUrl=https://open-telemetry.github.io/opentelemetry-helm-charts depName=opentelemetry-collector
        version="0.108.0",
        namespace="monitoring",
        wave=10,
        seen="a published configuration, 2026-11-30; older than what is current",
        chart="opentelemetry-collector",
        # Its configuration is in `telemetry`.
        values={"image": {"repository": "otel/opentelemetry-collector-contrib"}, "mode": "deployment"},
        needs=("kube-prometheus-stack",),
    ),
)  # fmt: skip

ENTRIES = {entry.name: entry for entry in sorted(_ENTRIES, key=lambda entry: entry.name)}
