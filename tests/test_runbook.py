"""The runbook of a deployment: whole, and in both forms."""

from __future__ import annotations

from pathlib import Path

from tests.code_cases import GOOD
from tests.run import modelfleet

TEAM = """apiVersion: modelfleet.io/v1alpha1
kind: Team
metadata: {name: search}
spec: {namespaces: [ml], groups: ["acme:ml search"], budget: {perHour: "20"}, kubernetesQuota: {pods: "10"}}
"""
SECRET = "'x:1', env: [{name: T, valueFrom: {secretKeyRef: {name: hf, key: token}}}]"


def repository(root: Path, **changes: str) -> Path:
    model = GOOD["models/ml/chat.yaml"].replace("'x:1'", SECRET)
    for path, text in {**GOOD, "models/ml/chat.yaml": model, "fleet/team.yaml": TEAM, **changes}.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return root


def sections(text: str) -> dict[str, list[str]]:
    blocks = [block.splitlines() for block in text.strip().split("\n\n")[1:]]
    return {block[0]: [line[2:] for line in block[1:]] for block in blocks}


def test_every_section_says_what_is_declared(tmp_path: Path) -> None:
    result = modelfleet(repository(tmp_path), "runbook", "ml/chat")
    assert (result.code, result.err) == (0, "")
    found = sections(result.out)
    assert found.pop("FAILURES")[0] == "ModelNoEndpoint (critical): no replica answers"
    assert found == {
        "OWNERS AND LIMITS": [
            "team search: acme:ml search",
            "budget: 20 USD an hour for the whole team",
            "Kubernetes quota: pods 10",
            "priority 0",
            "declared in models/ml/chat.yaml",
        ],
        "READY FOR PRODUCTION?": [
            "yes  a team owns it",
            "NO   more than one replica",
            "NO   on more than one cluster",
            "yes  every replica has a place",
            "NO   its price is known",
            "NO   it is scaled with its load",
            "NO   check has nothing to say of it",
            "  UpdateStopsModel: an update stops all of engine `main` at once: each share has as many pods as may be unavailable",
        ],
        "WHERE IT RUNS": ["east: 1 of 1 replicas here: h100"],
        "WHAT IT DEPENDS ON": [
            "image x:1",
            "cluster east: Kubernetes 1.34, gateway east.example.com, http://prometheus-operated.monitoring.svc:9090",
            "  components: none are named: they are taken to be there",
            "callers send model: ml/chat",
        ],
        "SECRETS": ["secret ml/hf, key token (chat)", "on east"],
        "SWITCH IT OFF": [
            "models/ml/chat.yaml: suspend: true, merge. Its places stay, nothing runs, callers get other targets or 503",
            "back on: take the line out again, merge",
            "at once, until Git is merged: kubectl scale to 0 lasts only until Argo CD heals it; pause its Applications first",
        ],
        "ROLL BACK": [
            "git revert the merge that changed it: declaration and record go back together, Argo CD applies what was",
            "an update takes 1 pods away at a time and adds 0 first",
            "a pod has 30m to load",
        ],
    }


def test_a_fixed_deployment_has_no_scaler_that_could_fail(tmp_path: Path) -> None:
    assert "ModelScalerFallback" not in modelfleet(repository(tmp_path), "runbook", "ml/chat").out


def test_as_markdown(tmp_path: Path) -> None:
    lines = modelfleet(repository(tmp_path), "runbook", "ml/chat", "--format=markdown").out.splitlines()
    assert lines[:4] == ["# Runbook of `ml/chat`", "", "## Owners and limits", ""]
    assert "- team search: acme:ml search" in lines and "  - components: none are named: they are taken to be there" in lines


def test_what_has_no_record_yet(tmp_path: Path) -> None:
    root = repository(tmp_path)
    (root / "placements/ml/chat.yaml").unlink()
    result = modelfleet(root, "runbook", "ml/chat")
    assert result.code == 0 and sections(result.out)["WHERE IT RUNS"] == ["nowhere: modelfleet place ml/chat"]


def test_a_record_that_does_not_fit_and_a_name_that_is_none(tmp_path: Path) -> None:
    root = repository(tmp_path)
    record = root / "placements/ml/chat.yaml"
    record.write_text(record.read_text().replace("pool: h100", "pool: gone"))
    result = modelfleet(root, "runbook", "ml/chat")
    assert (result.code, result.out) == (1, "") and "error[StillRecorded]" in result.err
    result = modelfleet(root, "runbook", "ml/caht")
    assert (result.code, result.out) == (1, "") and "did you mean `ml/chat`?" in result.err
