"""plugin/ and argocd/: what Argo CD demands of them, and that the places which name one thing name the same."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from importlib.metadata import requires
from pathlib import Path
from typing import Any

import pytest
import yaml
from modelfleet.api.fleet import ArgoCD
from packaging.requirements import Requirement

ROOT = Path(__file__).parent.parent
HUB = "https://kubernetes.default.svc"
DEFAULT_PLUGIN = ArgoCD.model_fields["plugin"].default


def document(path: str) -> Any:
    return yaml.safe_load((ROOT / path).read_text())


PLUGIN = document("plugin/plugin.yaml")
PROJECT = document("argocd/project.yaml")
ROOT_APPLICATION = document("argocd/root.yaml")
VALUES = document("argocd/install/values.yaml")
PATCH = document("argocd/install/repo-server.yaml")
SIDECAR = PATCH[0]["value"]


def at(value: Any, path: str) -> Any:
    """The value at a path such as `spec.generate.command`; None where it ends early."""
    for key in path.split("."):
        value = (
            value.get(key) if isinstance(value, dict) else value[int(key)] if isinstance(value, list) and int(key) < len(value) else None
        )
    return value


def dockerfile() -> list[tuple[str, str]]:
    """(instruction, rest) of plugin/Dockerfile, continued lines joined."""
    text = re.sub(r"^\s*#.*\n", "", (ROOT / "plugin/Dockerfile").read_text(), flags=re.M)
    lines = re.sub(r"\\\n\s*", " ", text).splitlines()
    return [(word, rest.strip()) for word, _, rest in (line.partition(" ") for line in lines if line.strip())]


def last(instruction: str) -> str:
    """The last use of an instruction: the one that holds for the image."""
    return [rest for word, rest in dockerfile() if word == instruction][-1]


WHOLE = {
    "the plugin is never asked about Applications that do not name it": (PLUGIN, "spec.discover", None),
    "the command has no shell and looks for modules nowhere but in the image": (
        PLUGIN,
        "spec.generate",
        {"command": ["python", "-I", "-m", "modelfleet", "cmp", "generate"]},
    ),
    "nothing runs before generate": (PLUGIN, "spec.init", None),
    "the plugin gets no Git credentials": (PLUGIN, "spec.provideGitCreds", None),
    "Argo CD exits at another kind": (PLUGIN, "kind", "ConfigManagementPlugin"),
    "the root may write these two kinds": (
        PROJECT,
        "spec.namespaceResourceWhitelist",
        [{"group": "argoproj.io", "kind": "ApplicationSet"}, {"group": "argoproj.io", "kind": "AppProject"}],
    ),
    "the root may write nothing cluster-wide": (PROJECT, "spec.clusterResourceWhitelist", []),
    "the root writes into Argo CD's namespace alone": (PROJECT, "spec.destinations", [{"server": HUB, "namespace": "argocd"}]),
    "the root belongs to that project": (ROOT_APPLICATION, "spec.project", PROJECT["metadata"]["name"]),
    "the root stands where the project allows": (ROOT_APPLICATION, "spec.destination", PROJECT["spec"]["destinations"][0]),
    "deleting the root deletes nothing else": (ROOT_APPLICATION, "metadata.finalizers", None),
    "no parameters make it the root": (ROOT_APPLICATION, "spec.source.plugin", {"name": DEFAULT_PLUGIN}),
    "the plugin finds the fleet from the repository's root": (ROOT_APPLICATION, "spec.source.path", "."),
    "the root prunes, heals, and refuses to become empty": (
        ROOT_APPLICATION,
        "spec.syncPolicy.automated",
        {"prune": True, "selfHeal": True, "allowEmpty": False},
    ),
    "a retry takes the newest commit": (ROOT_APPLICATION, "spec.syncPolicy.retry.refresh", True),
    "a sync never waits for health (no PruneLast)": (
        ROOT_APPLICATION,
        "spec.syncPolicy.syncOptions",
        ["ServerSideApply=true", "ApplyOutOfSyncOnly=true", "PrunePropagationPolicy=background"],
    ),
    "the sidecar starts the server of the repo-server's own version, under tini": (
        SIDECAR,
        "command",
        ["/usr/bin/tini", "--", "/var/run/argocd/argocd-cmp-server"],
    ),
    "the sidecar runs as the repo-server's user with nothing else": (
        SIDECAR,
        "securityContext",
        {
            "runAsNonRoot": True,
            "runAsUser": 999,
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
            "seccompProfile": {"type": "RuntimeDefault"},
        },
    ),
    "the sidecar gets the binary, the sockets and a /tmp of its own": (
        SIDECAR,
        "volumeMounts",
        [
            {"name": "var-files", "mountPath": "/var/run/argocd"},
            {"name": "plugins", "mountPath": "/home/argocd/cmp-server/plugins"},
            {"name": f"{DEFAULT_PLUGIN}-tmp", "mountPath": "/tmp"},
        ],
    ),
    "that /tmp is a volume": (PATCH[1]["value"], "", {"name": f"{DEFAULT_PLUGIN}-tmp", "emptyDir": {}}),
    "two versions can run side by side": (SIDECAR, "name", DEFAULT_PLUGIN),
    "the patch appends: others count containers and volumes from the first": (
        [step | {"value": None} for step in PATCH],
        "",
        [
            {"op": "add", "path": "/spec/template/spec/containers/-", "value": None},
            {"op": "add", "path": "/spec/template/spec/volumes/-", "value": None},
        ],
    ),
    "Helm gets the same container": (VALUES, "repoServer.extraContainers", [SIDECAR]),
    "Helm gets the same volume": (VALUES, "repoServer.volumes", [PATCH[1]["value"]]),
    "Helm gets the same health checks": (VALUES, "configs.cm", document("argocd/install/health-checks.yaml")["data"]),
    "the component patches by kind and name, in whatever namespace": (
        document("argocd/install/kustomization.yaml"),
        "patches",
        [
            {"path": "repo-server.yaml", "target": {"kind": "Deployment", "name": "argocd-repo-server"}},
            {"path": "health-checks.yaml", "target": {"kind": "ConfigMap", "name": "argocd-cm"}},
        ],
    ),
    "the component can be added to any kustomization": (document("argocd/install/kustomization.yaml"), "kind", "Component"),
    "the bootstrap has the project and the root": (document("argocd/kustomization.yaml"), "resources", ["project.yaml", "root.yaml"]),
}


@pytest.mark.parametrize(("value", "path", "expected"), WHOLE.values(), ids=WHOLE)
def test_settings(value: Any, path: str, expected: Any) -> None:
    assert (at(value, path) if path else value) == expected


def test_the_plugins_name_is_the_fleets_default() -> None:
    assert f"{PLUGIN['metadata']['name']}-{PLUGIN['spec']['version']}" == DEFAULT_PLUGIN


def test_the_example_its_root_and_its_project_name_one_repository() -> None:
    declared = document("fleet-repo-example/fleet/fleet.yaml")["spec"]["argocd"]
    source = ROOT_APPLICATION["spec"]["source"]
    assert (source["repoURL"], source["targetRevision"], source["plugin"]["name"], ROOT_APPLICATION["metadata"]["namespace"]) == (
        declared["repoURL"],
        declared["targetRevision"],
        declared["plugin"],
        declared["namespace"],
    )
    assert PROJECT["spec"]["sourceRepos"] == [declared["repoURL"]]


def test_parameters_are_announced_with_fields_that_argo_cd_has() -> None:
    known = {"name", "title", "tooltip", "required", "itemType", "collectionType", "string", "array", "map"}
    announced = PLUGIN["spec"]["parameters"]["static"]
    assert [p["name"] for p in announced] == ["cluster", "unit"]
    assert all(set(p) <= known and p["title"] and p["tooltip"] and p["collectionType"] == "string" for p in announced)
    # A default is never sent to the plugin, and `required` is not enforced: neither may be promised.
    assert not any({"required", "string", "array", "map"} & set(p) for p in announced)


def test_no_file_of_the_fleet_repository_is_imported(tmp_path: Path) -> None:
    """Argo CD runs the command in the repository: with the plain `-m`, a file there would be run in place of a module."""
    for name in ("modelfleet.py", "yaml.py", "sitecustomize.py", "usercustomize.py"):
        (tmp_path / name).write_text("raise SystemExit('a file of the repository was run')\n")
    _, *rest = PLUGIN["spec"]["generate"]["command"]
    command = [sys.executable, *rest[: rest.index("modelfleet") + 1], "--version"]
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


# --- the image ------------------------------------------------------------------------------------------------------


def test_the_image_runs_as_the_repo_servers_user() -> None:
    assert last("USER") == f"{SIDECAR['securityContext']['runAsUser']}:999"


def test_the_image_and_the_sidecar_start_the_same() -> None:
    assert json.loads(last("ENTRYPOINT")) == SIDECAR["command"]


def test_both_stages_stand_on_one_base_that_an_argument_pins() -> None:
    bases = {rest.split()[0] for word, rest in dockerfile() if word == "FROM"}
    assert bases == {"docker.io/library/python:${PYTHON_TAG}"}
    assert dockerfile()[0][0] == "ARG"
    assert dockerfile()[0][1].startswith("PYTHON_TAG=3.")


def test_every_download_of_packages_is_checked_by_hash() -> None:
    runs = " && ".join(rest for word, rest in dockerfile() if word == "RUN")
    installs = re.findall(r"pip (?:--python \S+ )?install .*?(?=&&|$)", runs)
    assert len(installs) == 3
    assert all("--require-hashes" in text or "--no-index" in text for text in installs)


def test_the_image_finds_its_plugin_where_the_server_looks() -> None:
    copies = [rest.split()[-2:] for word, rest in dockerfile() if word == "COPY"]
    assert ["plugin/plugin.yaml", "/home/argocd/cmp-server/config/plugin.yaml"] in copies


def test_what_the_dockerfile_copies_the_ignore_file_lets_through() -> None:
    allowed = [line[1:].rstrip("/") for line in (ROOT / "plugin/Dockerfile.dockerignore").read_text().splitlines() if line.startswith("!")]
    copied = [
        source.rstrip("/")
        for word, rest in dockerfile()
        if word == "COPY" and "--from=build" not in rest
        for source in [part for part in rest.split() if not part.startswith("--")][:-1]
    ]
    assert sorted(copied) == sorted(allowed)
    assert all((ROOT / path).exists() for path in copied)


def test_the_wheel_is_built_with_all_that_hatchling_needs() -> None:
    """The Dockerfile picks hatchling's packages out of the lock file by name; pip refuses to go on where one is missing."""
    names = {"hatchling"}
    while (
        found := {
            requirement.name
            for name in names
            for requirement in map(Requirement, requires(name) or [])
            if requirement.marker is None or requirement.marker.evaluate({"extra": "", "python_version": "3.13"})
        }
        - names
    ):
        names |= found
    picked = re.search(r"keep = /\^\(([^)]*)\)==/", (ROOT / "plugin/Dockerfile").read_text())
    assert picked is not None
    assert set(picked[1].split("|")) == names
    locked = set(re.findall(r"^([a-z0-9-]+)==", (ROOT / "requirements/dev.txt").read_text(), flags=re.M))
    assert names <= locked


def compiled(folder: Path, mode: str) -> None:
    subprocess.run([sys.executable, "-m", "compileall", "-q", "--invalidation-mode", mode, str(folder)], check=True)


BYTECODE = {
    "all compiled": ("unchecked-hash", (), (0, "")),
    "compiled, and one added later": ("unchecked-hash", ("late.py",), (1, "late.py has no bytecode\n")),
    "compiled as Python does by default": ("timestamp", (), (1, "pack/one.py has bytecode that is compared with the source's time\n")),
}


@pytest.mark.parametrize(("mode", "late", "expected"), BYTECODE.values(), ids=BYTECODE)
def test_the_build_stops_where_bytecode_is_missing(tmp_path: Path, mode: str, late: tuple[str, ...], expected: tuple[int, str]) -> None:
    (tmp_path / "pack").mkdir()
    (tmp_path / "pack/one.py").write_text("x = 1\n")
    compiled(tmp_path, mode)
    for name in late:
        (tmp_path / name).write_text("y = 2\n")
    assert check_bytecode(tmp_path) == expected


def test_a_folder_without_modules_is_a_mistake(tmp_path: Path) -> None:
    assert check_bytecode(tmp_path) == (1, "no module was found\n")


def test_folders_can_be_left_out(tmp_path: Path) -> None:
    (tmp_path / "test").mkdir()
    (tmp_path / "test/bad.py").write_text("x = \n")
    (tmp_path / "one.py").write_text("x = 1\n")
    subprocess.run(
        [sys.executable, "-m", "compileall", "-q", "--invalidation-mode", "unchecked-hash", "-x", "/test/", str(tmp_path)], check=True
    )
    assert check_bytecode(tmp_path, "--skip", "test") == (0, "")


def check_bytecode(folder: Path, *arguments: str) -> tuple[int, str]:
    """(exit code, stderr with paths from `folder`) of plugin/check_bytecode.py."""
    command = [sys.executable, str(ROOT / "plugin/check_bytecode.py"), *arguments, str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode, done.stderr.replace(f"{folder}/", "")
