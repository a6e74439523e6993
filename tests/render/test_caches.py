"""Caches: what another content is, what pods get, and that the staging programs stage once, whole, and nothing outside their folder."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from modelfleet.render import caches, staging
from modelfleet.render.members import pods
from modelfleet.render.pod import pod_spec
from modelfleet.render.workload import workloads

from .builders import cache, cluster, deployment, engine, fleet, plan, pod
from .kinds import KEY


def name(**fields: Any) -> str:
    return caches.claim_name("qwen", cache("HuggingFace", "huggingFace", **{"repo": "a/b", **fields}))


def test_another_content_is_another_claim_and_another_size_the_same() -> None:
    assert name() == name(sizeGiB=200) == name(authSecret={"name": "t"})
    assert len({name(), name(repo="a/c"), name(revision="x"), name(revision="y")}) == 4
    assert caches.claim_name("other", cache("HuggingFace", "huggingFace", repo="a/b")) != name()


def test_another_tool_is_another_job_on_the_same_claim() -> None:
    one = cache("HuggingFace", "huggingFace", repo="a/b")
    jobs = [
        caches.job("ns", "qwen", one, where, "Retire")
        for where in (cluster(), cluster(images={"rewrite": [{"from": "kserve", "to": "m"}]}))
    ]
    volumes = [job["spec"]["template"]["spec"]["volumes"] for job in jobs]
    assert jobs[0]["metadata"]["name"] != jobs[1]["metadata"]["name"]
    assert volumes[0] == volumes[1]


def spec(source: str, block: str, container: Any = None, where: Any = None, **fields: Any) -> dict[str, Any]:
    found = fleet(
        deployment(engine(template=pod(container)), cache="m"), clusters=(where or cluster(),), caches={"m": cache(source, block, **fields)}
    )
    return pod_spec(pods(workloads(found, plan(), found.clusters["east"], KEY)[0])[0])


@pytest.mark.parametrize(
    ("source", "block", "fields", "waits", "variables"),
    [
        ("HuggingFace", "huggingFace", {"repo": "a/b"}, True, ["HF_HUB_CACHE", "HF_HUB_OFFLINE"]),
        ("S3", "s3", {"bucket": "abc"}, True, []),
        ("GCS", "gcs", {"bucket": "abc"}, True, []),
        ("OCI", "oci", {"image": "m:v1"}, False, []),
        ("PersistentVolumeClaim", "persistentVolumeClaim", {"claimName": "w"}, False, []),
    ],
)
def test_what_an_engine_gets(source: str, block: str, fields: dict[str, Any], waits: bool, variables: list[str]) -> None:
    found = spec(source, block, **fields)
    container = found["containers"][0]
    assert [m for m in container["volumeMounts"] if m["mountPath"] == "/mnt/models"] == [
        {"name": "modelfleet-cache", "mountPath": "/mnt/models", "readOnly": True}
    ]
    assert [c["name"] for c in found.get("initContainers", ())] == (["modelfleet-wait"] if waits else [])
    assert [e["name"] for e in container["env"]][4:] == variables


def test_the_users_own_cache_settings_and_mount_stay() -> None:
    mine = {"env": [{"name": "HF_HUB_OFFLINE", "value": "0"}], "volumeMounts": [{"name": "x", "mountPath": "/mnt/models/"}]}
    container = spec("HuggingFace", "huggingFace", mine, repo="a/b")["containers"][0]
    assert [e for e in container["env"] if e["name"].startswith("HF_")] == [
        {"name": "HF_HUB_CACHE", "value": "/mnt/models"},
        mine["env"][0],
    ]
    assert [m["name"] for m in container["volumeMounts"]] == ["x", "modelfleet-shm"]


STUBS = {
    "huggingface_hub": """
import os, pathlib
class HfApi:
    def model_info(self, repo, revision):
        return type("Info", (), {"sha": "c0ffee-" + revision})
def snapshot_download(repo, revision, local_dir):
    (local_dir / "config.json").write_text(repo + "@" + revision)
    count = local_dir / ".downloads"
    count.write_text(count.read_text() + "x" if count.exists() else "x")
""",
    "boto3": """
import json, os, pathlib
FILES = json.loads(os.environ["FILES"])
class Client:
    def get_paginator(self, name): return self
    def paginate(self, Bucket, Prefix):
        yield {}
        yield {"Contents": [{"Key": k, "Size": len(v)} for k, v in FILES.items() if k.startswith(Prefix)]}
    def download_file(self, bucket, key, path): pathlib.Path(path).write_text(FILES[key])
def client(service, endpoint_url, region_name): return Client()
""",
    "google/cloud/storage": """
import json, os, pathlib
FILES = json.loads(os.environ["FILES"])
class Blob:
    def __init__(self, name): self.name, self.size = name, len(FILES[name])
    def download_to_filename(self, path): pathlib.Path(path).write_text(FILES[self.name])
class Client:
    def list_blobs(self, bucket, prefix): return [Blob(name) for name in FILES if name.startswith(prefix)]
""",
}


def stage(tmp_path: Path, source: str, **environment: str) -> tuple[int, dict[str, str], str]:
    """Exit code, files and stderr of a staging program beside stand-ins for the clients of the sources."""
    for module, text in STUBS.items():
        path = tmp_path / "stubs" / f"{module}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    folder = tmp_path / "models"
    folder.mkdir(exist_ok=True)
    given = {"PATH": os.environ["PATH"], "PYTHONPATH": str(tmp_path / "stubs"), "FOLDER": str(folder), "MARKER": ".done", **environment}
    done = subprocess.run([sys.executable, "-c", staging.PROGRAMS[source]], env=given, capture_output=True, text=True, check=False)
    return done.returncode, {str(p.relative_to(folder)): p.read_text() for p in sorted(folder.rglob("*")) if p.is_file()}, done.stderr


def test_a_repository_is_found_by_path_and_by_name_and_staged_once(tmp_path: Path) -> None:
    for _ in range(2):
        code, files, _ = stage(tmp_path, "HuggingFace", REPO="a/b", REVISION="v1")
        assert code == 0
    references = {f"models--a--b/refs/{name}": "c0ffee-v1" for name in ("main", "v1")}
    assert files == {".done": "", ".downloads": "x", "config.json": "a/b@c0ffee-v1", **references}
    assert (tmp_path / "models/models--a--b/snapshots/c0ffee-v1/config.json").read_text() == "a/b@c0ffee-v1"


def test_huggingfaces_own_library_finds_it_offline(tmp_path: Path) -> None:
    library = pytest.importorskip("huggingface_hub", reason="the library is no dependency of modelfleet")
    stage(tmp_path, "HuggingFace", REPO="a/b")
    found = library.try_to_load_from_cache("a/b", "config.json", cache_dir=tmp_path / "models")
    assert Path(found).read_text() == "a/b@c0ffee-main"


@pytest.mark.parametrize("source", ["S3", "GCS"])
def test_a_bucket_is_staged_whole_and_goes_on_where_it_stopped(tmp_path: Path, source: str) -> None:
    (tmp_path / "models" / "sub").mkdir(parents=True)
    (tmp_path / "models" / "sub" / "b").write_text("kept")
    files = '{"q/a": "1", "q/sub/b": "four", "q/": "", "other": "no"}'
    code, found, _ = stage(tmp_path, source, BUCKET="bucket", PREFIX="q/", FILES=files)
    assert (code, found) == (0, {".done": "", "a": "1", "sub/b": "kept"})


@pytest.mark.parametrize("source", ["S3", "GCS"])
@pytest.mark.parametrize(("files", "why"), [('{"q/../../x": "1"}', "leads out of the folder"), ('{"p/a": "1"}', "nothing in the bucket")])
def test_what_is_wrong_with_a_bucket_ends_the_job(tmp_path: Path, source: str, files: str, why: str) -> None:
    code, found, error = stage(tmp_path, source, BUCKET="bucket", PREFIX="q", FILES=files)
    assert (code, found) == (1, {})
    assert why in error
