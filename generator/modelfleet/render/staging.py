"""What a staging Job runs: programs that fill a volume with a model's files, each once.

They are data of the Job, so every one reads its parameters from the environment: no text of a user becomes code. A file is there whole
or not at all, so that a pod that begins again goes on where the last one stopped, and the marker is written last.
"""

from __future__ import annotations

# kserve's image has Python with the clients of all three sources; its own entry point is not used.
IMAGE = "kserve/storage-initializer:v0.19.0"
FOLDER = "/mnt/models"
MARKER = ".modelfleet-staged"

_BEGIN = """\
import os, pathlib, sys
folder = pathlib.Path(os.environ["FOLDER"])
marker = folder / os.environ["MARKER"]
if marker.exists():
    sys.exit(0)
"""
_END = """
marker.touch()
"""
# The files lie at the top of the folder; links give them a second place where Hugging Face's libraries look for a repository.
_HUGGING_FACE = """
import huggingface_hub
repo, revision = os.environ["REPO"], os.environ.get("REVISION") or "main"
commit = huggingface_hub.HfApi().model_info(repo, revision=revision).sha
huggingface_hub.snapshot_download(repo, revision=commit, local_dir=folder)
cached = folder / ("models--" + repo.replace("/", "--"))
for name in {revision, "main"}:
    reference = cached / "refs" / name
    reference.parent.mkdir(parents=True, exist_ok=True)
    reference.write_text(commit)
(cached / "snapshots").mkdir(exist_ok=True)
snapshot = cached / "snapshots" / commit
if not snapshot.is_symlink():
    snapshot.symlink_to(os.path.join("..", ".."), target_is_directory=True)
"""
_OBJECTS = """
bucket, prefix = os.environ["BUCKET"], os.environ.get("PREFIX", "").strip("/")
prefix = prefix + "/" if prefix else ""
def stage(name, size, download):
    path = folder / name[len(prefix):]
    if name.endswith("/"):
        return
    if folder.resolve() not in path.resolve().parents:
        sys.exit("an object's name leads out of the folder: " + name)
    if path.exists() and path.stat().st_size == size:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".part")
    download(str(part))
    part.rename(path)
found = 0
"""
_S3 = """
import boto3
client = boto3.client("s3", endpoint_url=os.environ.get("ENDPOINT") or None, region_name=os.environ.get("REGION") or None)
for page in client.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=prefix):
    for item in page.get("Contents", ()):
        found += 1
        stage(item["Key"], item["Size"], lambda part, key=item["Key"]: client.download_file(bucket, key, part))
"""
_GCS = """
from google.cloud import storage
for item in storage.Client().list_blobs(bucket, prefix=prefix):
    found += 1
    stage(item.name, item.size, item.download_to_filename)
"""
_SOME = """
if not found:
    sys.exit("nothing in the bucket begins with the prefix: " + bucket + "/" + prefix)
"""
PROGRAMS: dict[str, str] = {
    "HuggingFace": _BEGIN + _HUGGING_FACE + _END,
    "S3": _BEGIN + _OBJECTS + _S3 + _SOME + _END,
    "GCS": _BEGIN + _OBJECTS + _GCS + _SOME + _END,
}
