"""`init` and `new`: what they write passes `check`, can be placed and generated, and nothing is ever overwritten."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from modelfleet.catalog import model_sizes, shapes

from tests.run import Result, modelfleet, tree

CLASSES = (("class", "l4", "--shape", "g6.48xlarge"), ("class", "h100", "--shape", "p5.48xlarge"))
CLUSTER = ("cluster", "east", "--pool", "l4=l4:2", "--pool", "h100=h100:2", "--gateway", "east.example.com")
MODEL = ("deployment", "Qwen/Qwen3-8B", "-n", "search")


def new(root: Path, *arguments: str) -> Result:
    return modelfleet(root, "new", *arguments)


def written(root: Path, *commands: tuple[str, ...]) -> Path:
    """A fresh repository in which `commands` have written."""
    assert modelfleet(root, "init", str(root), "--repo-url", "https://git.example.com/acme/fleet.git").code == 0
    for command in commands:
        result = new(root, *command)
        assert result.code == 0, (command, result.err)
    return root


@pytest.mark.parametrize(
    "commands",
    [
        (),
        CLASSES,
        (("class", "a3-highgpu-8g"), ("class", "own", "--product", "AMD X", "--memory", "64Gi", "--count", "4", "--driver", "gpu.amd.com")),
        (*CLASSES, CLUSTER),
        (("class", "old", "--shape", "g2-standard-8", "--device-plugin"), ("cluster", "rack", "--pool", "a=old", "--kubernetes", "1.32")),
        (*CLASSES, CLUSTER, MODEL),
        (*CLASSES, CLUSTER, MODEL, ("service", "chat", "-n", "search", "--deployment", "qwen3-8b")),
        (*CLASSES, CLUSTER, ("cache", "q", "-n", "search", "--repo", "Qwen/Qwen3-8B"), (*MODEL, "--cache", "q")),
        (("cache", "q", "-n", "search", "--s3", "weights", "--prefix", "a/b", "--size", "40", "--secret", "s3"),),
        (("cache", "q", "-n", "search", "--gcs", "weights", "--size", "40"),),
        (("cache", "q", "-n", "search", "--image", "ghcr.io/acme/model:v1", "--secret", "pull"),),
        (("cache", "q", "-n", "search", "--claim", "weights"),),
        (*CLASSES, ("team", "shop", "-n", "search", "--group", "shop-ml", "--class", "l4", "--devices", "4"), CLUSTER, MODEL),
        (*CLASSES, CLUSTER, ("gateway", "front", "--cluster", "east", "--hostname", "ai.example.com", "--certificate", "ai-tls",
                             "--keys", "callers")),
        (("addon", "weaviate", "--chart", "https://weaviate.github.io/weaviate-helm", "--version", "17.6.0", "--label", "tier=gold"),),
        (("addon", "tools", "--git", "https://git.example.com/tools.git", "--path", "deploy", "--revision", "v1"),),
        (*CLASSES, CLUSTER, ("deployment", "acme/own-70b", "-n", "search", "--weights", "131Gi", "--layers", "80", "--key-value-heads", "8",
                             "--head-dim", "128", "--attention-heads", "64", "--context-length", "32768")),
        (*CLASSES, CLUSTER, ("deployment", "deepseek-ai/DeepSeek-R1", "-n", "search", "--context", "65536")),
    ],
    ids=lambda commands: ", ".join(command[0] for command in commands) or "init",
)  # fmt: skip
def test_what_is_written_passes_check_and_can_be_placed_and_generated(commands: tuple[tuple[str, ...], ...], tmp_path: Path) -> None:
    root = written(tmp_path, *commands)
    for command in (("place",), ("check", "--all"), ("place", "--check"), ("generate",)):
        result = modelfleet(root, *command)
        assert result.code == 0, (command, result.err)
    said = set(re.findall(r"(?:warning|error)\[(\w+)\]", modelfleet(root, "check", "--all").err))
    assert said <= {"NoFrontDoor", "NotYetRendered", "UpdateStopsModel", "NoCacheStorage", "NoGateway"}


def test_a_deployment_and_what_was_reckoned(tmp_path: Path) -> None:
    root = written(tmp_path, *CLASSES, CLUSTER)
    assert new(root, "deployment", "meta-llama/Llama-3.3-70B-Instruct", "-n", "search").out == (
        "wrote models/search/llama-3-3-70b-instruct.yaml\nnext: modelfleet place search/llama-3-3-70b-instruct\nnext: modelfleet check\n"
    )
    assert (root / "models/search/llama-3-3-70b-instruct.yaml").read_text() == (
        """# meta-llama/Llama-3.3-70B-Instruct: 131.42Gi of weights.
apiVersion: modelfleet.io/v1alpha1
kind: ModelDeployment
metadata: {name: llama-3-3-70b-instruct, namespace: search}
spec:
  replicas: 1
  template:
    spec:
      engines:
      - name: main
        members:
        - nodeSelector:
            devices:
            - {name: gpu, count: 2, products: [NVIDIA H100 80GB HBM3]}    # 79.65Gi each, 4.57Gi of it for context
          template:
            spec:
              containers:
              - name: engine
                image: vllm/vllm-openai:v0.33.0
                args:
                - --model=meta-llama/Llama-3.3-70B-Instruct
                - --served-model-name=$(MODELFLEET_SERVED_MODEL_NAME)
                - --tensor-parallel-size=$(MODELFLEET_DEVICE_COUNT)    # 2: the devices of a pod
                - --max-model-len=16384    # there is room for about 29000 tokens, all requests together
                - --shutdown-timeout=120    # finish what is running before the pod stops
                resources:
                  requests: {cpu: "8", memory: 166Gi}
"""
    )


def test_every_machine_of_the_catalog_is_a_class(tmp_path: Path) -> None:
    root = written(tmp_path, *(("class", name) for name in shapes()))
    assert modelfleet(root, "check").code == 0
    listed = new(root, "class", "--list").out
    assert all(re.search(rf"^{re.escape(name)} ", listed, re.MULTILINE) for name in shapes())


def test_every_well_known_model_fits_what_it_is_given(tmp_path: Path) -> None:
    """The proposal and `check` reckon apart, with more and with less room besides: what one proposes the other never doubts."""
    pools = ("cluster", "west", "--pool", "l4=l4:40", "--pool", "h100=h100:90", "--pool", "h200=h200:40")
    root = written(tmp_path, *CLASSES, ("class", "h200", "--shape", "p5en.48xlarge"), pools)
    for number, name in enumerate(model_sizes()):
        result = new(root, "deployment", name, "-n", "ml", "--name", f"m{number}")
        assert result.code == 0, (name, result.err)
    placed = modelfleet(root, "place")
    assert placed.code == 0 and "Shortfall" not in placed.err, placed.err
    said = modelfleet(root, "check", "--all")
    assert (said.code, set(re.findall(r"\[(\w+)\]", said.err))) == (0, {"UpdateStopsModel"}), said.err


def test_a_team_gets_what_it_may_use(tmp_path: Path) -> None:
    root = written(tmp_path, *CLASSES, CLUSTER, ("team", "shop", "-n", "search", "--class", "h100"), MODEL)
    assert "products: [NVIDIA H100 80GB HBM3]" in (root / "models/search/qwen3-8b.yaml").read_text()


REFUSED: list[tuple[str, tuple[str, ...], int, str]] = [
    ("a file that is there", ("class", "h100", "--shape", "p5.48xlarge"), 1,
     "fleet/classes/h100.yaml: error[AlreadyThere]: `fleet/classes/h100.yaml` is there already\n  hint: another name, or edit that file"),
    ("a name that is none", ("class", "H_100", "--shape", "p5.48xlarge"), 1, "fleet/classes/H_100.yaml:3:18: error[BadName]"),
    ("a class that is none", ("cluster", "west", "--pool", "a=b200"), 1, "fleet/clusters/west.yaml:8:26: error[UnknownClass]"),
    ("a deployment that is none", ("service", "s", "-n", "search", "--deployment", "x"), 1, "error[UnknownTarget]"),
    ("a model that nobody knows", ("deployment", "acme/secret", "-n", "search"), 1,
     "command line: error[UnknownSize]: the size of `acme/secret` is not known\n  hint: --weights 15.3Gi"),
    ("a model that is nearly known", ("deployment", "Qwen/Qwen3-8", "-n", "search"), 1, "hint: did you mean `Qwen/Qwen3-8B`?"),
    ("a model that fits nowhere", ("deployment", "meta-llama/Llama-3.1-405B-Instruct", "-n", "search", "--context", "131072"), 1,
     "error[FitsNowhere]: no hardware class of the fleet holds `meta-llama/Llama-3.1-405B-Instruct`: 755.96Gi of weights"),
    ("a context that it has not", ("deployment", "Qwen/Qwen3-8B", "-n", "search", "--context", "99999"), 2, "model's own 40960"),
    ("half of a size", ("deployment", "a/b", "-n", "search", "--layers", "3"), 2, "belong to --weights"),
    ("a contradiction in a size", ("deployment", "a/b", "-n", "search", "--weights", "3Gi", "--head-dim", "3"), 2, "belong together"),
    ("a machine that is none", ("class", "p5.48xlarg"), 1, "hint: did you mean `p5.48xlarge`?"),
    ("a kind that is none", ("deploymnt", "x"), 2, "no kind `deploymnt`; did you mean `deployment`?"),
    ("a pool without a class", ("cluster", "west", "--pool", "a"), 2, "is not KEY=VALUE"),
    ("nodes that are no number", ("cluster", "west", "--pool", "a=h100:two"), 2, "`two` is no number of nodes"),
    ("a team that takes rights away", ("team", "t", "-n", "ml", "--class", "l4"), 1, "models/ml/m.yaml:14:15: error[TeamRights]"),
    ("a cache of two sources", ("cache", "c", "-n", "search", "--repo", "a/b", "--s3", "c"), 2, "exactly one of"),
    ("a cache without a size", ("cache", "c", "-n", "search", "--repo", "acme/secret"), 2, "--size is needed"),
    ("a service without targets", ("service", "c", "-n", "search"), 2, "--deployment or --endpoint"),
    ("an add-on without a version", ("addon", "c", "--chart", "https://x"), 2, "--chart and --version"),
]  # fmt: skip


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    big = ("deployment", "Qwen/Qwen3-32B", "-n", "ml", "--name", "m", "--context", "32768")
    root = written(
        tmp_path_factory.mktemp("new"), ("class", "h100", "--shape", "p5.48xlarge"), ("cluster", "east", "--pool", "h100=h100"), big
    )
    assert new(root, "class", "l4", "--shape", "g6.48xlarge").code == 0
    return root


@pytest.mark.parametrize(("arguments", "code", "said"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED])
def test_what_is_refused_and_writes_nothing(arguments: tuple[str, ...], code: int, said: str, repository: Path) -> None:
    before = tree(repository)
    result = new(repository, *arguments)
    assert result.code == code and said in result.err, result.err
    assert tree(repository) == before


def test_init_leaves_what_is_there(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("mine")
    written(tmp_path)
    again = modelfleet(tmp_path, "init", str(tmp_path))
    assert (again.code, (tmp_path / "README.md").read_text()) == (1, "mine")
    assert "error[AlreadyThere]" in again.err


def test_a_fleet_is_named_after_its_folder(tmp_path: Path) -> None:
    assert modelfleet(tmp_path, "init", str(tmp_path / "Acme Fleet")).code == 0
    text = (tmp_path / "Acme Fleet" / "fleet" / "fleet.yaml").read_text()
    assert "metadata: {name: acme-fleet}" in text and "put your repository's URL here" in text
