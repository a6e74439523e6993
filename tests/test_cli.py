"""The command line: exit codes, streams, what each flag selects."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from modelfleet.emit import document

from tests.builders import cluster, deployment, engine, entry, hardware, placement, pool, request, settings
from tests.run import modelfleet, repository, tree

FLEET = [settings(), hardware("h100"), cluster("east"), cluster("west")]
CHAT = [*FLEET, deployment(replicas=2), placement("chat", entry("east", 1), entry("west", 1))]


def test_check_of_a_sound_fleet_says_so(tmp_path: Path) -> None:
    repository(tmp_path, *FLEET, deployment(replicas=4), placement("chat", entry("east", 2), entry("west", 2)))
    result = modelfleet(tmp_path, "check")
    assert (result.code, result.out, result.err) == (0, "2 clusters, 1 deployments: no errors\n", "")


def test_a_missing_record_refuses_check_and_place_mends_it(tmp_path: Path) -> None:
    root = repository(tmp_path, *FLEET, deployment(replicas=2))
    refused = modelfleet(root, "check")
    assert (refused.code, refused.out) == (1, "")
    assert refused.err == (
        "models/ml/modeldeployment-chat.yaml:1:1: error[PlacementMissing]: `ml/chat` has no recorded placement\n"
        "  hint: modelfleet place ml/chat\n"
        "1 error\n"
    )
    asked = modelfleet(root, "place", "--check")
    assert (asked.code, asked.out) == (3, "ml/chat: east 1 (h100), west 1 (h100)\n")
    placed = modelfleet(root, "place")
    assert (placed.code, placed.out) == (0, "ml/chat: east 1 (h100), west 1 (h100)\n")
    assert yaml.safe_load((root / "placements/ml/chat.yaml").read_text()) == placement("chat", entry("east", 1), entry("west", 1))
    assert modelfleet(root, "check").code == 0
    assert modelfleet(root, "place").out == "every record is up to date\n"


def test_a_changed_number_makes_the_record_outdated(tmp_path: Path) -> None:
    root = repository(tmp_path, *FLEET, deployment(replicas=5), placement("chat", entry("east", 2), entry("west", 2)))
    assert modelfleet(root, "check").err == (
        "models/ml/modeldeployment-chat.yaml:1:1: error[PlacementOutdated]: "
        "the recorded placement of `ml/chat` is not what is declared now\n"
        "  modelfleet place would give: east 2 -> 3 (h100), west 2 (h100)\n"
        "  hint: modelfleet place ml/chat\n"
        "1 error\n"
    )
    assert modelfleet(root, "place").out == "ml/chat: east 2 -> 3 (h100), west 2 (h100)\n"


def test_a_shortfall_is_a_warning_and_with_strict_an_error(tmp_path: Path) -> None:
    root = repository(tmp_path, *FLEET, deployment("chat", engine(request(count=8)), replicas=5))
    placed = modelfleet(root, "place")
    assert (placed.code, placed.out) == (0, "ml/chat: east 2 (h100), west 2 (h100); 4 of 5 placed\n")
    assert placed.err == (
        "models/ml/modeldeployment-chat.yaml:1:1: warning[Shortfall]: 4 of 5 replicas of `ml/chat` have a place\n"
        "  0/2 clusters can take another: 2 InsufficientDevices\n"
        "  hint: modelfleet explain ml/chat\n"
        "1 warning\n"
    )
    assert modelfleet(root, "check").code == 0
    assert modelfleet(root, "check", "--strict").code == 1
    assert "warning[Shortfall]" in modelfleet(root, "-q", "check", "--strict").err  # what refuses is said


def test_explain_is_a_line_for_each_cluster(tmp_path: Path) -> None:
    root = repository(
        tmp_path,
        *FLEET,
        cluster("full", pool(nodes=1)),
        cluster("off", state="Offline"),
        deployment("chat", engine(request(count=8)), replicas=3),
        placement("chat", entry("east", 1), entry("full", 1), entry("west", 1)),
    )
    assert modelfleet(root, "explain", "ml/chat").out == (
        "ml/chat: 3 of 3 replicas recorded\n"
        "2/4 clusters can take another: 1 InsufficientDevices, 1 Offline\n"
        "\n"
        "CLUSTER  REPLICAS   ANOTHER  WHY\n"
        "east     1 on h100  yes\n"
        "full     1 on h100  no       InsufficientDevices: pool h100: needs 8 gpu, 0 of 8 free; held by ml/chat 8\n"
        "off      -          no       Offline: the cluster is Offline\n"
        "west     1 on h100  yes\n"
    )


def test_explain_of_a_code_and_of_nothing(tmp_path: Path) -> None:
    root = repository(tmp_path, *CHAT)
    assert modelfleet(root, "explain", "UnknownField").out.startswith("UnknownField (error)\n")
    missed = modelfleet(root, "explain", "UnknownFeild")
    assert (missed.code, missed.err.splitlines()[1]) == (1, "  hint: did you mean `UnknownField`?")
    assert "did you mean `ml/chat`?" in modelfleet(root, "explain", "ml/chta").err


@pytest.mark.parametrize(
    ("flags", "units"),
    [
        (
            [],
            [
                "root",
                "base",
                "tenant/ml",
                "caches/ml",
                "model/ml/chat",
                "routes/ml",
                "base",
                "tenant/ml",
                "caches/ml",
                "model/ml/chat",
                "routes/ml",
            ],
        ),
        (["--root"], ["root"]),
        (["--cluster", "east"], ["base", "tenant/ml", "caches/ml", "model/ml/chat", "routes/ml"]),
        (["--unit", "base"], ["base", "base"]),
        (["--cluster", "west", "--unit", "routes/ml"], ["routes/ml"]),
        (["--deployment", "ml/chat"], ["model/ml/chat", "model/ml/chat"]),
    ],
)
def test_what_generate_selects(tmp_path: Path, flags: list[str], units: list[str]) -> None:
    result = modelfleet(repository(tmp_path, *CHAT), "generate", *flags)
    assert (result.code, result.err) == (0, "")
    assert [line.removeprefix("# unit: ") for line in result.out.splitlines() if line.startswith("# unit: ")] == units
    assert all(manifest["kind"] for manifest in yaml.safe_load_all(result.out))


@pytest.mark.parametrize(
    ("flags", "code", "said"),
    [
        (["generate", "--cluster", "easst"], 1, "did you mean `east`?"),
        (["generate", "--unit", "model/ml/chatt"], 1, "did you mean `model/ml/chat`?"),
        (["generate", "--deployment", "ml/chatt"], 1, "did you mean `ml/chat`?"),
        (["generate", "--cluster", "west", "--deployment", "ml/here"], 1, "no unit answers to --cluster west --deployment ml/here"),
        (["generate", "--cluster", "west", "--unit", "model/ml/here"], 1, "no unit answers to --cluster west --unit model/ml/here"),
        (["generate", "--check"], 2, "-o DIR"),
        (["generate", "--root", "--unit", "base"], 2, "--root stands alone"),
        (["genrate"], 2, "did you mean `generate`?"),
        (["place", "ml/chatt"], 1, "did you mean `ml/chat`?"),
        (["place", "--all", "ml/chat"], 2, "exclude each other"),
        (["generate", "-o", "/dev/null/x"], 4, "Not a directory"),
    ],
)
def test_wrong_turns(tmp_path: Path, flags: list[str], code: int, said: str) -> None:
    here = deployment("here"), placement("here", entry("east", 1))
    result = modelfleet(repository(tmp_path, *CHAT, *here), *flags)
    assert (result.code, result.out) == (code, "")
    assert said in result.err and "Traceback" not in result.err


def test_generate_places_what_has_no_record_for_this_output_alone(tmp_path: Path) -> None:
    root = repository(tmp_path, *FLEET, deployment())
    result = modelfleet(root, "generate")
    assert "warning[PlacementUnrecorded]: `ml/chat`" in result.err and "\nkind: Deployment\n" in result.out
    assert "\nkind: Deployment\n" not in modelfleet(root, "generate", "--recorded").out
    assert not (root / "placements").exists()


def test_a_tree_is_written_compared_and_cleaned(tmp_path: Path) -> None:
    root, out = repository(tmp_path / "repo", *CHAT), tmp_path / "out"
    assert modelfleet(root, "generate", "-o", str(out)).code == 0
    assert modelfleet(root, "generate", "-o", str(out), "--check").code == 0
    before = tree(out)
    (out / "own.txt").write_text("not ours")
    changed = out / "east/base/namespace-modelfleet-system.yaml"
    changed.write_text("x")
    assert modelfleet(root, "generate", "-o", str(out), "--check").out == "changed east/base/namespace-modelfleet-system.yaml\n"
    modelfleet(root, "generate", "-o", str(out))
    assert tree(out) == before | {"own.txt": b"not ours"}
    (root / "models/ml/modeldeployment-chat.yaml").unlink()
    (root / "placements/ml/chat.yaml").unlink()
    result = modelfleet(root, "generate", "-o", str(out), "--check")
    assert result.code == 3 and all(line.startswith(("stale", "changed")) for line in result.out.splitlines())
    modelfleet(root, "generate", "-o", str(out))
    assert {path.split("/")[1] for path in tree(out) if path.startswith("east/")} == {"base"}
    assert (out / "own.txt").read_text() == "not ours"


def test_a_partial_tree_removes_nothing(tmp_path: Path) -> None:
    root, out = repository(tmp_path / "repo", *CHAT), tmp_path / "out"
    modelfleet(root, "generate", "-o", str(out))
    before = tree(out)
    modelfleet(root, "generate", "-o", str(out), "--cluster", "east")
    assert tree(out) == before
    (root / "placements/ml/chat.yaml").write_text(document(placement("chat", entry("east", 2))))
    for _ in ("write", "compare"):
        nothing = modelfleet(root, "generate", "-o", str(out), "--cluster", "west", "--deployment", "ml/chat")
        assert (nothing.code, nothing.out) == (1, "") and "no unit answers to" in nothing.err
    assert tree(out) == before


def test_a_file_of_the_tree_that_is_not_text_is_written_anew(tmp_path: Path) -> None:
    root, out = repository(tmp_path / "repo", *CHAT), tmp_path / "out"
    modelfleet(root, "generate", "-o", str(out))
    before = tree(out)
    (out / "east/base/namespace-modelfleet-system.yaml").write_bytes(b"\xff")
    assert modelfleet(root, "generate", "-o", str(out), "--check").out == "changed east/base/namespace-modelfleet-system.yaml\n"
    modelfleet(root, "generate", "-o", str(out))
    assert tree(out) == before
    (out / ".modelfleet").write_bytes(b"\xff\n")
    assert modelfleet(root, "generate", "-o", str(out)).code == 0
    assert tree(out) == before


BAD: list[tuple[str, dict[str, str], str]] = [
    ("no fleet", {"fleet__fleet": "{}"}, "apiVersion is missing"),
    ("half a file", {"models__ml__x": "apiVersion: modelfleet.io/v1alpha1\nkind: [ModelDepl"}, "error[YamlSyntax]"),
    ("an alias bomb", {"models__ml__x": "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n"}, "error[Alias]"),
    (
        "a foreign namespace",
        {"models__ml__x": "apiVersion: modelfleet.io/v1alpha1\nkind: ModelDeployment\nmetadata: {name: x, namespace: other}\n"},
        "models/ml/x.yaml:3:32: error[WrongNamespace]",
    ),
    (
        "a kind in a wrong folder",
        {"fleet__x": "apiVersion: modelfleet.io/v1alpha1\nkind: ModelDeployment\nmetadata: {name: x, namespace: ml}\n"},
        "error[WrongFolder]",
    ),
]


@pytest.mark.parametrize(("files", "said"), [case[1:] for case in BAD], ids=[case[0] for case in BAD])
@pytest.mark.parametrize("command", ["check", "generate", "place"])
def test_bad_input_is_refused_with_nothing_on_stdout(tmp_path: Path, command: str, files: dict[str, str], said: str) -> None:
    result = modelfleet(repository(tmp_path, *CHAT, **files), command)
    assert (result.code, result.out) == (1, "")
    assert said in result.err and "Traceback" not in result.err


def test_no_repository_at_all(tmp_path: Path) -> None:
    for command in ("check", "generate", "place", "cmp"):
        result = modelfleet(tmp_path, command, *(["generate"] if command == "cmp" else []))
        assert (result.code, result.out) == (1, "") and "NotAFleet" in result.err


def test_two_fleets(tmp_path: Path) -> None:
    second: dict[str, Any] = settings() | {"metadata": {"name": "other"}}
    root = repository(tmp_path, *CHAT)
    (root / "fleet/second.yaml").write_text(yaml.safe_dump(second))
    assert "error[TwoFleets]" in modelfleet(root, "check").err


def test_a_hundred_mistakes_show_twenty_and_all_on_demand(tmp_path: Path) -> None:
    wrong = "\n".join(f"  wrong{i}: 1" for i in range(100))
    text = f"apiVersion: modelfleet.io/v1alpha1\nkind: InferenceClass\nmetadata: {{name: x}}\nspec:\n  devices: []\n{wrong}\n"
    root = repository(tmp_path, *CHAT, fleet__x=text)
    assert modelfleet(root, "check").err.count("error[") == 20
    assert "... and 81 more (--all shows them)\n101 errors" in modelfleet(root, "check").err
    assert modelfleet(root, "check", "--all").err.count("error[") == 101


def test_a_fault_of_ours_keeps_its_traceback_and_exits_70(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("modelfleet.pipeline.read", lambda *_: 1 / 0)
    result = modelfleet(repository(tmp_path, *CHAT), "check")
    assert (result.code, result.out) == (70, "") and "ZeroDivisionError" in result.err and "fault of modelfleet" in result.err
