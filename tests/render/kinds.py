"""Scenarios of every kind of workload: what pods take, gangs, phases, sleep, and the files of models."""

from __future__ import annotations

from typing import Any

from modelfleet.place.plan import Plan
from modelfleet.resolve.fleet import Fleet

from .builders import (
    NAME,
    NAMESPACE,
    cache,
    cluster,
    config_map,
    deployment,
    engine,
    entry,
    fleet,
    gang,
    gpu,
    placement,
    plan,
    pod,
    pool,
    scaling,
)

KEY = (NAMESPACE, NAME)
MODEL = f"model/{NAMESPACE}/{NAME}"
ROUTES = f"routes/{NAMESPACE}"
Scenario = tuple[Fleet, Plan, str]


def kinds() -> dict[str, Scenario]:
    """By a name that says what is looked at."""
    return {**_hardware(), **_gangs(), **_phases(), **_asleep(), **_files()}


def chosen(pool: str = "h100", alternative: str | None = None, **devices: str) -> dict[str, Any]:
    """What an engine uses; a name of a request that holds `/` is written with two underscores."""
    found = {"pool": pool, "devices": {name.replace("__", "/"): group for name, group in devices.items()}}
    return found if alternative is None else {**found, "alternative": alternative}


def _alternative() -> Scenario:
    """The second of two, recorded."""
    asked = {"name": "gpu", "count": 2, "products": ["NVIDIA H200"]}
    alternatives = [
        {"name": "two-h200", "members": [{"devices": [asked]}]},
        {
            "name": "four-h100",
            "members": [
                {
                    "devices": [{**asked, "count": 4, "products": ["NVIDIA H100 80GB HBM3"]}],
                    "extraArgs": ["--max-model-len=65536"],
                    "env": [{"name": "B", "value": "new"}, {"name": "C", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}}],
                    "image": "vllm/vllm-openai:v0.32.0",
                }
            ],
        },
    ]
    template = pod({"env": [{"name": "A", "value": "1"}, {"name": "B", "value": "old"}]})
    other = deployment({"name": "main", "members": [{"template": template}], "alternatives": alternatives})
    record = placement(entry(engines={"main": chosen(alternative="four-h100", gpu="gpu")}))
    return fleet(other), plan({KEY: record}), MODEL


def _prioritized_list() -> Scenario:
    """A list that the cluster chooses from, beside a second kind of device and one that is only matched."""
    options = [{"name": "large", "memory": {"atLeast": "100Gi"}}, {"name": "two-small", "count": 2, "memory": {"atLeast": "22Gi"}}]
    others = [{"name": "nic", "products": ["ConnectX-7"]}, {"name": "link", "products": ["L"]}]
    requests = [{"name": "gpu", "firstAvailable": options}, *others]
    near = {"matchAttribute": "resource.kubernetes.io/pcieRoot", "requests": ["gpu", "nic", "link"]}
    about = [near, {"matchAttribute": "a.example.com/b"}]
    listed = engine()
    listed["members"][0]["nodeSelector"] = {"devices": requests, "constraints": about}
    groups = [
        gpu(name="big"), gpu(name="small"), {"name": "nic", "driver": "rdma.example.com", "deviceClassName": "rdma", "count": 8},
        gpu(name="link", claim="Synthetic", deviceClassName=None),
    ]  # fmt: skip
    mixed = cluster("east", pool("mixed", *groups))
    devices = chosen("mixed", gpu__large="big", **{"gpu__two-small": "small"}, nic="nic", link="link")
    return fleet(deployment(listed), clusters=(mixed,)), plan({KEY: placement(entry(engines={"main": devices}))}), MODEL


def _hardware() -> dict[str, Scenario]:
    """What pods may take, and what else the recorded hardware changes."""
    slices = gpu(7, name="slice", deviceClassName="mig.nvidia.com", attributes={"profile": {"string": "1g.10gb"}})
    slice_of = [{"cel": 'device.attributes["gpu.nvidia.com"].profile == "1g.10gb"'}]
    small = engine(selectors=slice_of)
    del small["members"][0]["nodeSelector"]["devices"][0]["memory"]
    mirror = [{"from": "docker.io/vllm", "to": "mirror.example.com/vllm"}, {"from": "docker.io", "to": "mirror.example.com/hub"}]
    mirrored = cluster("east", images={"rewrite": mirror}, placement={"metadata": {"labels": {"residency": "eu"}}})
    return {
        "alternative": _alternative(),
        "prioritized-list": _prioritized_list(),
        "slice": (
            fleet(deployment(small), clusters=(cluster("east", pool("mig", slices)),)),
            plan({KEY: placement(entry(engines={"main": chosen("mig", gpu="slice")}))}),
            MODEL,
        ),
        "mirrored": (
            fleet(deployment(engine(template=pod(initContainers=[{"name": "fetch", "image": "busybox"}]))), clusters=(mirrored,)),
            plan(),
            MODEL,
        ),
    }


GANG = {"main": chosen(Leader__gpu="gpu", Worker__gpu="gpu")}


def _gangs() -> dict[str, Scenario]:
    """Leaders with their workers."""
    lead = pod(
        {
            "command": ["vllm", "serve"],
            "args": ["m", "--nnodes=3", "--node-rank=$(MODELPLANE_RANK)", "--master-addr=$(MODELFLEET_LEADER_ADDRESS)"],
            "readinessProbe": {"httpGet": {"port": 8000, "path": "/ping"}},
        }
    )
    topology = {"leaderworkerset.sigs.k8s.io/exclusive-topology": "topology.kubernetes.io/zone"}
    whole = deployment(
        gang(workers=2, leader=lead), metadata={"annotations": topology}, rollout={"maxSurge": 1, "maxUnavailable": 0}, replicas=2
    )
    own = {"template": pod({"image": "example.com/worker:v1", "args": ["--worker"]})}
    apart = deployment(gang(leader=pod({"image": "example.com/leader:v1"}), worker=own, devices=False), scaling=scaling())
    share = placement(entry(2, engines={"main": chosen(Worker__gpu="gpu")}, minimum=1, maximum=3), wanted=2)
    return {
        "gang": (fleet(whole), plan({KEY: placement(entry(2, engines=GANG))}), MODEL),
        "gang-without-devices-on-the-leader": (fleet(apart), plan({KEY: share}), MODEL),
    }


def _phases() -> dict[str, Scenario]:
    """Prefill and decode apart, and a picker for what is whole."""
    signal = [{"type": "TimeToFirstToken", "target": "2"}]
    prefill = engine("prefill", pod({"args": ["--model=m"]}), phase="Prefill", scaling={"minCopies": 2, "maxCopies": 4, "triggers": signal})
    decode = engine("decode", pod({"args": ["--model=m", "--port=8200", "--block-size=64"]}), copies=2, phase="Decode")
    apart = deployment(prefill, decode, serving={"mode": "PrefillDecode"})
    both = {"prefill": chosen(gpu="gpu"), "decode": chosen(gpu="gpu")}
    pools = cluster("east", gateway={"inferencePools": True})
    record = plan({KEY: placement(entry(engines=both))})
    picking = fleet(deployment(serving={"picker": "EndpointPicker"}), clusters=(pools,))
    return {
        "prefill-decode": (fleet(apart, clusters=(pools,)), record, MODEL),
        "routes-prefill-decode": (fleet(apart, clusters=(pools,)), record, ROUTES),
        "routes-prefill-decode-without-pools": (fleet(apart), record, ROUTES),
        "picker": (picking, plan(), MODEL),
        "routes-picker": (picking, plan(), ROUTES),
    }


def _asleep() -> dict[str, Scenario]:
    """A model that sleeps at night and wakes on a call, in two clusters."""
    night = {"start": "0 7 * * 1-5", "end": "0 19 * * 1-5", "timezone": "Europe/Berlin", "minReplicas": 3}
    scale = scaling({"type": "RequestsInFlight", "target": "2"}, {"type": "RequestsWaiting", "target": "4"}, low=0, high=6)
    up = {"policies": [{"type": "Percent", "value": 100, "periodSeconds": 60}]}
    behavior = {"scaleUp": up, "scaleDown": {"selectPolicy": "Disabled"}}
    whole = {**scale, "wake": "OnRequest", "schedules": [night], "behavior": behavior, "fallback": {"replicas": 3, "failureThreshold": 5}}
    shares = [entry(4, minimum=0, maximum=4), entry(2, "west", minimum=0, maximum=2)]
    sleeping = fleet(deployment(scaling=whole), clusters=(cluster("east"), cluster("west")))
    record = plan({KEY: placement(*shares, wanted=6)})
    return {"asleep": (sleeping, record, MODEL), "routes-asleep": (sleeping, record, ROUTES)}


def _files() -> dict[str, Scenario]:
    """Models' files from all sources, and files that users declare."""
    objects = {"bucket": "models", "prefix": "qwen", "region": "eu-west-1", "endpoint": "https://s3.example.com"}
    caches = {
        "hub": cache("HuggingFace", "huggingFace", repo="Qwen/Qwen3-8B", revision="abc", authSecret={"name": "hf-token"}),
        "s3": cache("S3", "s3", **objects, authSecret={"name": "s3"}),
        "gcs": cache("GCS", "gcs", bucket="models", authSecret={"name": "gcs"}),
        "image": cache("OCI", "oci", image="ghcr.io/acme/qwen:v1", pullSecret={"name": "ghcr"}),
        "there": cache("PersistentVolumeClaim", "persistentVolumeClaim", claimName="weights", subPath="qwen"),
        "unused": cache("HuggingFace", "huggingFace", repo="Qwen/Qwen3-14B"),
    }
    users = [deployment(name=f"uses-{name}", cache=name) for name in caches if name != "unused"]
    mirror = {"rewrite": [{"from": "kserve", "to": "m/kserve"}]}
    at = cluster("east", kubernetesVersion="1.36", cache={"storageClassName": "filestore"}, images=mirror)
    everything = fleet(*users, clusters=(at,), caches=caches)
    record = plan({user.key: placement() for user in users})
    found: dict[str, Scenario] = {"caches": (everything, record, f"caches/{NAMESPACE}")}
    found |= {f"cache-{name}": (everything, record, f"model/{NAMESPACE}/uses-{name}") for name in ("hub", "image", "there")}
    template = pod(
        {
            "env": [{"name": "K", "valueFrom": {"configMapKeyRef": {"name": "keys", "key": "k"}}}],
            "envFrom": [{"configMapRef": {"name": "someone-elses"}}],
        },
        volumes=[{"name": "chat", "configMap": {"name": "chat"}}],
    )
    chat = config_map("chat", data={"chat.jinja": "{{ messages }}\n"}, immutable=True)
    files = [chat, config_map("keys", data={"k": "1"}), config_map("other")]
    found["config-maps"] = (fleet(deployment(engine(template=template)), config_maps=files), plan(), MODEL)
    return found
