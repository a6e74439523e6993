"""`modelfleet migrate`: files of Modelplane's in, files of ours out, side by side."""

from __future__ import annotations

from pathlib import Path

from modelfleet.diagnostics import Report
from modelfleet.load import parse
from modelfleet.migrate import migrate

from tests.run import modelfleet, tree
from tests.written import resources

PLATFORM = """\
# What we rent.
apiVersion: modelplane.ai/v1alpha1   # theirs
kind: InferenceClass
metadata: {name: l4}
spec:
  devices:
  - {name: gpu, driver: gpu.nvidia.com, deviceClassName: gpu.nvidia.com, capacity: {memory: {value: 23034Mi}}}
---
# In the east.
apiVersion: "modelplane.ai/v1alpha1"
kind: InferenceCluster
metadata:
  name: east
  labels:
    modelplane.ai/region: us   # stays
spec:
  cluster:
    source: GKE
    gke: {region: us-east4, kubernetesVersion: "1.36"}
  nodePools:
  # Small ones.
  - name: l4          # one each
    className: l4
    maxNodeCount: 4
    zones: [us-east4-a]
  - {name: spare, className: l4, zones: [us-east4-b]}
status:
  gateway: {address: 10.0.0.1}
"""
CLASS = """\
# What we rent.
apiVersion: modelfleet.io/v1alpha1   # theirs
kind: InferenceClass
metadata: {name: l4}
spec:
  devices:
  - {name: gpu, driver: gpu.nvidia.com, deviceClassName: gpu.nvidia.com, capacity: {memory: {value: 23034Mi}}}
"""
CLUSTER = """\
# In the east.
apiVersion: "modelfleet.io/v1alpha1"
kind: InferenceCluster
metadata:
  name: east
  labels:
    modelplane.ai/region: us   # stays
spec:
  kubernetesVersion: '1.36'
  cluster:
    source: GKE
    gke: {region: us-east4, kubernetesVersion: "1.36"}
  nodePools:
  # Small ones.
  - name: l4          # one each
    nodeSelector: {modelplane.ai/pool: l4}
    headroom: Equal
    className: l4
    maxNodeCount: 4
    zones: [us-east4-a]
  - {nodeSelector: {modelplane.ai/pool: spare}, name: spare, className: l4, zones: [us-east4-b]}
"""
SERVICE = """\
apiVersion: modelplane.ai/v1alpha1
kind: ModelService
metadata: {name: chat, namespace: ml}
spec:
  endpoints:
  - selector:
      matchLabels:
        modelplane.ai/deployment: chat  # ours
"""


def test_documents_move_to_where_they_belong_with_their_comments() -> None:
    found = migrate({"platform.yaml": PLATFORM, "apps/chat.yml": SERVICE})
    assert found.files == {
        "platform.yaml": None,
        "apps/chat.yml": None,
        "fleet/classes/l4.yaml": CLASS,
        "fleet/clusters/east.yaml": CLUSTER,
        "models/ml/chat-service.yaml": SERVICE.replace("modelplane.ai/v1alpha1", "modelfleet.io/v1alpha1").replace(
            "modelplane.ai/deployment", "modelfleet.io/deployment"
        ),
    }
    assert (found.twice, found.left, found.without_destination) == ([], [], ["east"])
    assert found.moved == [
        ("apps/chat.yml", "models/ml/chat-service.yaml", "ModelService ml/chat"),
        ("platform.yaml", "fleet/classes/l4.yaml", "InferenceClass l4"),
        ("platform.yaml", "fleet/clusters/east.yaml", "InferenceCluster east"),
    ]


def test_what_is_migrated_means_what_it_meant() -> None:
    files = {"fleet/platform.yaml": PLATFORM, "models/ml/chat.yaml": SERVICE}
    after = {path: text for path, text in migrate(files).files.items() if text is not None}
    old, new = (resources(texts, Report()) for texts in (files, after))
    assert {(kind, ref): r.model for kind, known in new.kinds.items() for ref, r in known.items()} == {
        (kind, ref): r.model for kind, known in old.kinds.items() for ref, r in known.items()
    }


def test_a_file_in_its_folder_stays_there() -> None:
    found = migrate({"fleet/platform.yaml": PLATFORM})
    assert found.files == {"fleet/platform.yaml": f"{CLASS}---\n{CLUSTER}"}


def test_a_second_time_changes_nothing() -> None:
    first = {path: text for path, text in migrate({"platform.yaml": PLATFORM}).files.items() if text is not None}
    assert migrate(first).files == {}


def test_other_documents_stay_in_their_file() -> None:
    other = "apiVersion: v1\nkind: Namespace\nmetadata: {name: ml}\n"
    found = migrate({"all.yaml": f"---\n{other}---\n{SERVICE}"})
    assert found.files["all.yaml"] == other


def test_what_is_declared_twice_is_listed_and_left() -> None:
    found = migrate({"a.yaml": SERVICE, "b.yaml": SERVICE})
    assert (found.files, found.twice) == ({}, ["ModelService ml/chat"])
    assert found.left == [
        ("a.yaml: ModelService ml/chat", "it is declared twice"),
        ("b.yaml: ModelService ml/chat", "it is declared twice"),
    ]


def test_what_cannot_be_moved_is_listed_with_its_reason() -> None:
    found = migrate(
        {
            "broken.yaml": "apiVersion: modelplane.ai/v1alpha1\nkind: [",
            "no-namespace.yaml": SERVICE.replace(", namespace: ml", ""),
            "outside.yaml": SERVICE.replace("name: chat", "name: ../../etc"),
            "replica.yaml": SERVICE.replace("ModelService", "ModelReplica"),
            "taken.yaml": SERVICE,
            "models/ml/chat-service.yaml": "# nothing yet\n",
        }
    )
    assert found.files == {}
    assert found.left[0][0].startswith("broken.yaml:")
    assert found.left[1:] == [
        ("no-namespace.yaml: ModelService chat", "metadata.namespace is missing"),
        ("outside.yaml: ModelService ml/../../etc", "its name cannot be a file's"),
        ("replica.yaml: ModelReplica ml/chat", "modelfleet has no such kind"),
        ("taken.yaml: ModelService ml/chat", "models/ml/chat-service.yaml is there already"),
    ]


def test_a_file_without_a_last_line_break() -> None:
    head = "apiVersion: modelplane.ai/v1alpha1\nkind: InferenceCluster\nmetadata: {name: a}\n"
    found = migrate({"fleet/a.yaml": f"{head}spec: {{nodePools: [{{name: p, className: c}}]}}"})
    text = found.files["fleet/a.yaml"]
    assert text is not None and text.endswith("spec: {nodePools: [{nodeSelector: {modelplane.ai/pool: p}, name: p, className: c}]}\n")
    assert parse("fleet/a.yaml", text, Report())


def write(root: Path) -> Path:
    (root / "apps").mkdir(parents=True)
    (root / "platform.yaml").write_text(PLATFORM, encoding="utf-8")
    (root / "apps/chat.yaml").write_text(SERVICE, encoding="utf-8")
    return root


def test_the_command_says_what_it_did(tmp_path: Path) -> None:
    root = write(tmp_path / "fleet-of-theirs")
    result = modelfleet(root, "migrate", str(root))
    assert (result.code, result.err) == (0, "")
    assert result.out == (
        "apps/chat.yaml -> models/ml/chat-service.yaml: ModelService ml/chat\n"
        "platform.yaml -> fleet/classes/l4.yaml: InferenceClass l4\n"
        "platform.yaml -> fleet/clusters/east.yaml: InferenceCluster east\n"
        "\nclusters without a destination: Argo CD must know each by its name, or write spec.destination:\n  east\n"
        "\nnext:\n  write fleet/fleet.yaml with the one document of kind Fleet, then run modelfleet check\n"
    )
    assert sorted(tree(root)) == ["fleet/classes/l4.yaml", "fleet/clusters/east.yaml", "models/ml/chat-service.yaml"]


def test_check_writes_nothing(tmp_path: Path) -> None:
    root = write(tmp_path / "fleet-of-theirs")
    before = tree(root)
    assert modelfleet(root, "migrate", "--check", str(root)).code == 3
    assert tree(root) == before


def test_a_name_that_is_declared_twice_is_an_exit_code(tmp_path: Path) -> None:
    root = write(tmp_path / "fleet-of-theirs")
    (root / "apps/again.yaml").write_text(SERVICE, encoding="utf-8")
    result = modelfleet(root, "migrate", str(root))
    assert (result.code, "declared twice, and left as they are; remove or rename one:\n  ModelService ml/chat\n" in result.out) == (1, True)
