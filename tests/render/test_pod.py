"""What becomes of a user's pod: a part of the input, the part of the output."""

from __future__ import annotations

from typing import Any

import pytest
from modelfleet.render import engines
from modelfleet.render.members import pods
from modelfleet.render.pod import pod_spec
from modelfleet.render.workload import workloads

from .builders import cluster, deployment, engine, entry, fleet, gpu, placement, plan, plugin_gpu, pod, pool
from .scenarios import KEY

SHM = {"name": "modelfleet-shm", "emptyDir": {"medium": "Memory", "sizeLimit": "2Gi"}}
GPU_TAINT = {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
STARTUP = {
    "httpGet": {"path": "/health", "port": "http", "scheme": "HTTP"},
    "failureThreshold": 180,
    "periodSeconds": 10,
    "successThreshold": 1,
    "timeoutSeconds": 5,
}


def spec(
    container: dict[str, Any] | None = None, *, request: dict[str, Any] | None = None, where: Any = None, serving: Any = None, **rest: Any
) -> dict[str, Any]:
    """The rendered pod spec of a user's container and pod."""
    found = fleet(deployment(engine(template=pod(container, **rest), **(request or {})), serving=serving), clusters=(where or cluster(),))
    return pod_spec(pods(workloads(found, plan(), found.clusters["east"], KEY)[0])[0])


def main(container: dict[str, Any] | None = None, **rest: Any) -> dict[str, Any]:
    return next(c for c in spec(container, **rest)["containers"] if c["name"] == "engine")


CASES: list[tuple[str, Any, Any]] = [
    (
        "shared memory grows with the devices",
        lambda: spec(request={"count": 8})["volumes"],
        [{"name": "modelfleet-shm", "emptyDir": {"medium": "Memory", "sizeLimit": "16Gi"}}],
    ),
    ("shared memory has a floor", lambda: spec()["volumes"], [SHM]),
    (
        "a user's own mount at /dev/shm is kept",
        lambda: (
            main({"volumeMounts": [{"name": "x", "mountPath": "/dev/shm"}]})["volumeMounts"],
            "volumes" in spec({"volumeMounts": [{"name": "x", "mountPath": "/dev/shm"}]}),
        ),
        ([{"name": "x", "mountPath": "/dev/shm"}], False),
    ),
    (
        "our shared memory, mounted by the user",
        lambda: spec({"volumeMounts": [{"name": "modelfleet-shm", "mountPath": "/dev/shm"}]})["volumes"],
        [SHM],
    ),
    (
        "a port of UDP is not the one that answers",
        lambda: main({"ports": [{"containerPort": 8000, "protocol": "UDP", "name": "media"}]})["ports"],
        [{"containerPort": 8000, "protocol": "UDP", "name": "media"}, {"containerPort": 8000, "name": "http", "protocol": "TCP"}],
    ),
    (
        "a pause is never longer than the time to stop",
        lambda: [main(serving={"terminationGracePeriod": f"{n}s"}).get("lifecycle", {}).get("preStop") for n in (150, 16, 15, 2, 1, 0)],
        [{"sleep": {"seconds": n}} for n in (15, 15, 7, 1)] + [None, None],
    ),
    (
        "nor than the time that the user's pod says",
        lambda: main(terminationGracePeriodSeconds=4)["lifecycle"]["preStop"],
        {"sleep": {"seconds": 2}},
    ),
    (
        "a capability that needs new privileges",
        lambda: main({"securityContext": {"capabilities": {"add": ["CAP_SYS_ADMIN"]}}})["securityContext"],
        {"capabilities": {"add": ["CAP_SYS_ADMIN"]}},
    ),
    (
        "what the API server does not store is not written",
        lambda: [
            key in spec(hostNetwork=False, hostUsers=False, tolerations=[{"key": "", "operator": "Exists"}], imagePullSecrets=[])
            for key in ("hostNetwork", "hostUsers", "imagePullSecrets")
        ],
        [False, True, False],
    ),
    ("an empty variable", lambda: main({"env": [{"name": "A", "value": ""}]})["env"][-1], {"name": "A"}),
    ("other volumes stay before it", lambda: spec(volumes=[{"name": "x"}])["volumes"], [{"name": "x", "emptyDir": {}}, SHM]),
    (
        "a startup timeout is rounded up to whole attempts",
        lambda: main(serving={"startupTimeout": "61s"})["startupProbe"]["failureThreshold"],
        7,
    ),
    ("the startup probe allows for the default half hour", lambda: main()["startupProbe"], STARTUP),
    (
        "a user's probe stays and the others are added",
        lambda: (
            main({"livenessProbe": {"tcpSocket": {"port": 1}}})["livenessProbe"],
            main({"livenessProbe": {"tcpSocket": {"port": 1}}})["startupProbe"],
        ),
        ({"tcpSocket": {"port": 1}, "failureThreshold": 3, "periodSeconds": 10, "successThreshold": 1, "timeoutSeconds": 1}, STARTUP),
    ),
    ("the health path is the declared one", lambda: main(serving={"healthPath": "/ping"})["readinessProbe"]["httpGet"]["path"], "/ping"),
    (
        "a serving port without a name gets it",
        lambda: main({"ports": [{"containerPort": 8000}, {"containerPort": 9, "protocol": "UDP"}]})["ports"],
        [{"name": "http", "containerPort": 8000, "protocol": "TCP"}, {"containerPort": 9, "protocol": "UDP"}],
    ),
    (
        "a name that another port has is not taken twice",
        lambda: main({"ports": [{"containerPort": 9, "name": "http"}]})["ports"][1],
        {"name": "modelfleet-http", "containerPort": 8000, "protocol": "TCP"},
    ),
    ("another serving port", lambda: main(serving={"port": 9000})["ports"], [{"name": "http", "containerPort": 9000, "protocol": "TCP"}]),
    ("the grace period is the declared one", lambda: spec(serving={"terminationGracePeriod": "2m"})["terminationGracePeriodSeconds"], 120),
    ("preStop waits for the gateways", lambda: main()["lifecycle"], {"preStop": {"sleep": {"seconds": 15}}}),
    (
        "an older cluster knows no sleep action",
        lambda: main(where=cluster(kubernetesVersion="v1.29.4"))["lifecycle"],
        {"preStop": {"exec": {"command": ["sleep", "15"]}}},
    ),
    (
        "a user's lifecycle is kept whole",
        lambda: main({"lifecycle": {"postStart": {"exec": {"command": ["x"]}}}})["lifecycle"],
        {"postStart": {"exec": {"command": ["x"]}}},
    ),
    ("an image may run as root", lambda: main()["securityContext"], {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}),
    ("a named uid must not be root", lambda: main(securityContext={"runAsUser": 2000})["securityContext"]["runAsNonRoot"], True),
    (
        "uid 0 is what the user says",
        lambda: main({"securityContext": {"runAsUser": 0}})["securityContext"],
        {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}, "runAsUser": 0},
    ),
    (
        "the pod's word on root is not overruled",
        lambda: main({"securityContext": {"runAsUser": 5}}, securityContext={"runAsNonRoot": False})["securityContext"],
        {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}, "runAsUser": 5},
    ),
    (
        "a privileged container cannot also refuse privileges",
        lambda: main({"securityContext": {"privileged": True}})["securityContext"],
        {"capabilities": {"drop": ["ALL"]}, "privileged": True},
    ),
    ("seccomp is the runtime's default", lambda: spec()["securityContext"], {"seccompProfile": {"type": "RuntimeDefault"}}),
    (
        "a user's seccomp profile is kept",
        lambda: spec(securityContext={"seccompProfile": {"type": "Unconfined"}, "fsGroup": 1})["securityContext"],
        {"seccompProfile": {"type": "Unconfined"}, "fsGroup": 1},
    ),
    ("no token is mounted", lambda: spec()["automountServiceAccountToken"], False),
    ("a named account mounts its token", lambda: "automountServiceAccountToken" in spec(serviceAccountName="m"), False),
    ("the user's word on the token is kept", lambda: spec(automountServiceAccountToken=True)["automountServiceAccountToken"], True),
    ("no service links", lambda: spec()["enableServiceLinks"], False),
    (
        "the pool's nodes, and the user's further wish",
        lambda: spec(
            nodeSelector={"disk": "fast"},
            where=cluster(
                "east",
                pool("h100", gpu=""),
            ),
        )["nodeSelector"],
        {"disk": "fast", "gpu": ""},
    ),
    (
        "taints of nodes are tolerated with and without a value",
        lambda: spec(
            where=cluster(
                "east", pool("h100", node_taints=[{"key": "a", "value": "1", "effect": "NoExecute"}, {"key": "b", "effect": "NoSchedule"}])
            )
        )["tolerations"],
        [
            {"key": "a", "operator": "Equal", "value": "1", "effect": "NoExecute"},
            {"key": "b", "operator": "Exists", "effect": "NoSchedule"},
            GPU_TAINT,
        ],
    ),
    (
        "the GPU taint is not tolerated twice",
        lambda: spec(where=cluster("east", pool("h100", node_taints=[{"key": "nvidia.com/gpu", "effect": "NoSchedule"}])))["tolerations"],
        [GPU_TAINT],
    ),
    (
        "user's tolerations come first",
        lambda: spec(tolerations=[{"operator": "Exists"}])["tolerations"],
        [{"operator": "Exists"}, GPU_TAINT],
    ),
    (
        "a synthetic device is matched, not claimed",
        lambda: {
            k: v
            for k, v in spec(where=cluster("east", pool("h100", gpu(claim="Synthetic")))).items()
            if k in ("tolerations", "resourceClaims")
        },
        {},
    ),
    (
        "a synthetic device is not counted",
        lambda: main(where=cluster("east", pool("h100", gpu(claim="Synthetic"))))["env"][3],
        {"name": "MODELFLEET_DEVICE_COUNT", "value": "0"},
    ),
    (
        "a device plugin's devices are limits",
        lambda: main({"resources": {"limits": {"memory": "8Gi"}}}, request={"count": 2}, where=cluster("east", pool("h100", plugin_gpu())))[
            "resources"
        ],
        {"limits": {"memory": "8Gi", "nvidia.com/gpu": "2"}, "requests": {"nvidia.com/gpu": "2"}},
    ),
    (
        "a claim stands beside the user's resources",
        lambda: main({"resources": {"requests": {"cpu": "1000m"}}})["resources"],
        {"requests": {"cpu": "1"}, "claims": [{"name": "devices"}]},
    ),
    (
        "the callers' name is the declared one",
        lambda: main(serving={"modelName": "chat"})["env"][0],
        {"name": "MODELFLEET_SERVED_MODEL_NAME", "value": "chat"},
    ),
    (
        "all four variables come before the user's",
        lambda: [e["name"] for e in main({"env": [{"name": "A", "value": "1"}]})["env"]],
        ["MODELFLEET_SERVED_MODEL_NAME", "MODELFLEET_RANK", "MODELFLEET_LEADER_ADDRESS", "MODELFLEET_DEVICE_COUNT", "A"],
    ),
    (
        "a twin is given where the text refers to it",
        lambda: main({"command": ["sh", "-c", "echo $MODELPLANE_RANK"]})["env"][4:],
        [{"name": "MODELPLANE_RANK", "value": "0"}],
    ),
    (
        "a twin may stand in a variable's value",
        lambda: main({"env": [{"name": "A", "value": "$(MODELPLANE_LEADER_ADDRESS):1"}]})["env"][4:],
        [{"name": "MODELPLANE_LEADER_ADDRESS", "value": "localhost"}, {"name": "A", "value": "$(MODELPLANE_LEADER_ADDRESS):1"}],
    ),
    ("a user's spread is kept", lambda: spec(topologySpreadConstraints=[{"maxSkew": 2}])["topologySpreadConstraints"], [{"maxSkew": 2}]),
]


@pytest.mark.parametrize(("found", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_pod(found: Any, expected: Any) -> None:
    assert found() == expected


def test_arguments_pass_byte_for_byte() -> None:
    args = ["--template={{ a }}", "$(X) $$(Y)", " --seed=012 ", "é\n\t", "", '--json={"a": 1e3}', "yes"]
    found = main({"args": list(args), "command": ["{{- x -}}"]})
    assert (found["args"], found["command"]) == (args, ["{{- x -}}"])


def test_packed_pods_are_drawn_to_other_models_and_keep_the_users_affinity() -> None:
    mine = {"weight": 1, "podAffinityTerm": {"topologyKey": "zone"}}
    template = pod(affinity={"podAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [mine]}, "nodeAffinity": {"x": 1}})
    found = fleet(deployment(engine(template=template)), placement={"accounting": "Packed"})
    rendered = pod_spec(pods(workloads(found, plan(), found.clusters["east"], KEY)[0])[0])
    term = {
        "labelSelector": {"matchLabels": {"app.kubernetes.io/managed-by": "modelfleet"}},
        "namespaceSelector": {},
        "topologyKey": "kubernetes.io/hostname",
    }
    assert "topologySpreadConstraints" not in rendered
    assert rendered["affinity"] == {
        "nodeAffinity": {"x": 1},
        "podAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [mine, {"weight": 100, "podAffinityTerm": term}]},
    }


def test_a_taint_added_to_a_cluster_or_pool_restarts_no_pod() -> None:
    taint = [{"key": "maintenance", "effect": "NoExecute"}]
    assert spec(where=cluster(taints=taint)) == spec()


def test_labels_and_annotations_of_replicas_and_pods_are_kept_and_ours_win() -> None:
    template = pod()
    template["metadata"] = {"labels": {"a": "member", "app.kubernetes.io/name": "mine"}}
    found = fleet(deployment(engine(template=template), metadata={"labels": {"a": "replica", "b": "replica"}, "annotations": {"n": "1"}}))
    workload = workloads(found, plan({KEY: placement(entry(1))}), found.clusters["east"], KEY)[0]
    manifest = engines.pods_of(workload, pods(workload))
    metadata = manifest["spec"]["template"]["metadata"]
    serving = {"modelfleet.io/serving": "true"}
    assert metadata == {"labels": {"a": "member", "b": "replica", **workload.labels, **serving}, "annotations": {"n": "1"}}
    assert manifest["metadata"]["labels"] == {"a": "replica", "b": "replica", **workload.labels}
    assert manifest["metadata"]["annotations"] == {"n": "1", "argocd.argoproj.io/sync-options": "Prune=false,Delete=confirm"}


@pytest.mark.parametrize("devices", [[gpu()], [plugin_gpu()]])
def test_the_selector_of_a_workload_is_one_label(devices: list[dict[str, Any]]) -> None:
    found = fleet(clusters=(cluster("east", pool("h100", *devices)),))
    workload = workloads(found, plan(), found.clusters["east"], KEY)[0]
    assert workload.selector == {"modelfleet.io/workload": workload.name}
