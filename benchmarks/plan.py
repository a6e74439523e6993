"""Whole-process CPU of `plan` against `generate` on a large fleet, and the size of its HTML page.

    python -m benchmarks.plan [CLUSTERS DEPLOYMENTS]

A repository of 1,000 clusters and 2,000 deployments (unless told) is written and committed, all of it recorded. Asked for: each plan
within three times the CPU of one `generate`, the page below 5 MB.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from modelfleet import pipeline
from modelfleet.emit import document
from modelfleet.records import document as record

from benchmarks import fleets

TIMES, PAGE = 3.0, 5_000_000
REPLICAS = 5
# What is asked; each with a base, so that two states are read.
QUESTIONS = {
    "nothing changes": [],
    "a cluster is lost": ["--without", "c0007"],
    "a cluster is drained": ["--drain", "c0007"],
    "a model grows": ["--set", "deployment/team-00/m00000.replicas=9"],
    "every object changes": ["--set", "fleet/bench.spec.argocd.removal=Prune"],
}


def write(root: Path, clusters: int, deployments: int) -> None:
    """A repository of a seeded fleet, its records in one commit with it."""
    rng = random.Random(0)
    manifests = [fleets.settings(), *fleets._classes()]
    manifests += [fleets._cluster(rng, f"c{i:04}", 8) for i in range(clusters)]
    manifests += [fleets._deployment(rng, f"m{i:05}", f"team-{i % 50:02}", REPLICAS) for i in range(deployments)]
    for manifest in manifests:
        path = fleets._path(manifest) if manifest["kind"] != "Fleet" else "fleet/fleet.yaml"
        _put(
            root, path.replace("fleet/", f"fleet/{manifest['kind'].lower()}/") if manifest["kind"] != "Fleet" else path, document(manifest)
        )
    for (namespace, name), spec in pipeline.plan(fleets.resolved(manifests)).placements.items():
        _put(root, f"placements/{namespace}/{name}.yaml", document(record(f"{namespace}/{name}", spec, {})))
    identity = ["-c", "user.name=b", "-c", "user.email=b@example.com", "-c", "commit.gpgsign=false", "-c", "gc.auto=0"]
    for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "all"]):
        subprocess.run(["git", "-C", str(root), *identity, *arguments], check=True)


def _put(root: Path, path: str, text: str) -> None:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def cpu(root: Path, out: Path, *arguments: str) -> tuple[float, float, int]:
    """(CPU seconds, MiB at most, bytes printed) of a command, which must succeed."""
    with out.open("wb") as printed:
        process = subprocess.Popen([sys.executable, "-m", "modelfleet", "--repo", str(root), "-q", *arguments], stdout=printed)
        _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, arguments
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, out.stat().st_size


def main() -> int:
    """0 if every bound holds."""
    numbers = [int(text) for text in sys.argv[1:3] if text.isdigit()]
    clusters, deployments = numbers if len(numbers) == 2 else (1_000, 2_000)
    missed = False
    with tempfile.TemporaryDirectory() as scratch:
        root, out = Path(scratch) / "fleet", Path(scratch) / "out"
        started = time.monotonic()
        write(root, clusters, deployments)
        print(f"{clusters} clusters, {deployments} deployments written in {time.monotonic() - started:.0f} s")
        one, memory, _ = cpu(root, out, "generate", "--recorded")
        print(f"{'generate':<24}{one:6.1f} s of CPU, {memory:5.0f} MiB")
        for name, asked in QUESTIONS.items():
            used, memory, size = cpu(root, out, "plan", "--base", "HEAD", "--format", "html", *asked)
            missed |= used > TIMES * one or size > PAGE
            said = f"{used / one:4.2f} of {TIMES:.0f} times, a page of {size / 1e6:.2f} of 5 MB"
            print(f"{name:<24}{used:6.1f} s of CPU, {memory:5.0f} MiB, {said}", flush=True)
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
