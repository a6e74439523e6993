"""`plan`: what a change does, in every format, and what it is asked with."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from markdown_it import MarkdownIt
from modelfleet.report.change import Change, ClusterChange, CostChange, Note, ObjectChange
from modelfleet.report.markdown import LIMIT, markdown
from modelfleet.report.svg import PALETTE
from modelfleet.schemas import plan_schema

from tests.builders import cluster, deployment, engine, entry, hardware, placement, pool, request, settings
from tests.run import modelfleet, repository
from tests.test_base import commit, committed, git

Manifest = dict[str, object]
FLEET = [settings(), hardware("h100", cost="80"), cluster("east", pool(nodes=2)), cluster("west", pool(nodes=2))]
CHAT = [deployment(replicas=2), placement("chat", entry("east", 1), entry("west", 1))]


def planned(root: Path, *arguments: str) -> str:
    """What `plan` prints, without the commit's name."""
    result = modelfleet(root, "plan", *arguments)
    assert result.code == 0, result.err
    return re.sub(r"\([0-9a-f]{8}\)", "(COMMIT)", result.out)


def section(text: str, title: str) -> list[str]:
    """The lines of a section of the text, without their margin; nothing if it is not there."""
    _, _, rest = text.partition(f"\n{title}\n")
    return [line.strip() for line in rest.split("\n\n")[0].splitlines()]


# What was, what is, and of each deployment: its verdict, and the words of the last column.
CHANGES: dict[str, tuple[list[Manifest], list[Manifest], list[str]]] = {
    "nothing": (CHAT, CHAT, []),
    "a first model": ([], CHAT, ["ml/chat     added  0 of 0  2 of 2  east 1 (h100), west 1 (h100)"]),
    "a model without a record": ([], [deployment(replicas=1)], ["ml/chat     added  0 of 0  1 of 1  east 1 (h100)"]),
    "more replicas": (
        CHAT,
        [deployment(replicas=3), placement("chat", entry("east", 2), entry("west", 1))],
        ["ml/chat     resized  2 of 2  3 of 3  east 1 -> 2 (h100), west 1 (h100)"],
    ),
    "a replica that moves": (
        CHAT,
        [deployment(replicas=2), placement("chat", entry("east", 2), entry("west", 1, retiring=True, replaced=1))],
        ["ml/chat     moved  2 of 2  2 of 2  east 1 -> 2 (h100), west 1 (h100) retiring"],
    ),
    "what retired is dropped": (
        [deployment(), placement("chat", entry("east", 1), entry("west", 1, retiring=True, replaced=1))],
        [deployment(), placement("chat", entry("east", 1))],
        ["ml/chat     finished  1 of 1  1 of 1  east 1 (h100), west 1 dropped"],
    ),
    "a model that is taken away": (
        CHAT,
        [deployment(replicas=0), placement("chat", *(entry(c, 1, retiring=True) for c in ("east", "west")), wanted=0)],
        ["ml/chat     removed  2 of 2  0 of 0  east 1 (h100) retiring, west 1 (h100) retiring"],
    ),
    "more than there is": (
        CHAT,
        [deployment("big", engine(request(count=8)), replicas=9), *CHAT],
        ["ml/big      added  0 of 0  2 of 9  east 1 (h100), west 1 (h100); 2 of 9 placed"],
    ),
    "a cluster that is lost": (
        CHAT,
        [*CHAT, cluster("west", pool(nodes=2), state="Lost")],
        ["ml/chat     moved  2 of 2  2 of 2  east 1 -> 2 (h100), west 1 (h100) lost"],
    ),
}


def changed(root: Path, before: list[Manifest], after: list[Manifest]) -> Path:
    """A repository with `before` in its commit and `after` in its work tree."""
    committed(root, *FLEET, *before)
    for path in root.rglob("*.yaml"):
        path.unlink()
    return repository(root, *FLEET, *after)


@pytest.mark.parametrize(("before", "after", "expected"), CHANGES.values(), ids=CHANGES)
def test_placements(tmp_path: Path, before: list[Manifest], after: list[Manifest], expected: list[str]) -> None:
    said = section(planned(changed(tmp_path, before, after), "--base", "HEAD"), "Placements")
    assert said[1:] == expected


def test_nothing_changes(tmp_path: Path) -> None:
    root = committed(tmp_path, *FLEET, *CHAT)
    assert planned(root, "--base", "HEAD") == "HEAD (COMMIT) -> the work tree\nnothing would change\n"


def test_all_that_a_moving_change_says(tmp_path: Path) -> None:
    after = [
        deployment("chat", engine(request(), nodeSelector={"a": "b"}), replicas=3),
        placement("chat", entry("east", 3), entry("west", 1, retiring=True, replaced=1)),
    ]
    assert (
        planned(changed(tmp_path, CHAT, after), "--base", "HEAD")
        == """\
HEAD (COMMIT) -> the work tree
1 moved; 16 objects on 2 clusters, 2 restarts; +10.00 USD an hour

Removals and what cannot be undone
  Leaving fleet: 1 of 2 replicas leave their place, 2 may at once: ml/chat 1

Placements
  DEPLOYMENT  IS     BEFORE   AFTER  WHERE
  ml/chat     moved  2 of 2  3 of 3  east 1 -> 3 (h100), west 1 (h100) retiring

Risks
  RestartsEverywhere ml/chat: all its pods restart, on 2 clusters in the same sync
  OneCluster ml/chat: all 3 replicas are on east

What Argo CD starts, restarts and stops
  DEPLOYMENT  CLUSTER  WORKLOAD                       ARGO CD     PODS  BECAUSE
  ml/chat     east     Deployment chat-main-9f1e463d  restarts  1 -> 3  nodeSelector.a: none -> b
  ml/chat     west     Deployment chat-main-9f1e463d  restarts       1  nodeSelector.a: none -> b

Capacity
  1 of 2 pools change
  CLUSTER  POOL  DEVICES OF  NODES  DEVICES    USED      FREE  HEADROOM
  east     h100  h100/gpu        2       16  1 -> 3  15 -> 13         0

Cost (USD an hour)
  OF     NAME       BEFORE  AFTER  DIFFERENCE
  total              20.00  30.00      +10.00
  team   (no team)   20.00  30.00      +10.00
  model  ml/chat     20.00  30.00      +10.00

Objects
  CLUSTER  ADDED  CHANGED  REMOVED  APPLICATIONS
  root         0        2        0
  east         0        5        0
  west         0        9        0
  (-v shows every diff)
"""
    )


# Which words the alarms and risks begin with, by what was and what is.
WORDS: dict[str, tuple[list[Manifest], list[Manifest], list[str]]] = {
    "nothing": (CHAT, CHAT, []),
    "from Retire to Prune": (CHAT, [*CHAT, settings(removal="Prune")], ["RemovalPolicy"]),
    "a branch that Argo CD did not read": (
        CHAT,
        [*CHAT, settings(argocd={"repoURL": "https://git.example.com/acme/fleet.git", "targetRevision": "next"})],
        ["Source"],
    ),
    "a single pod that restarts": (
        [deployment(), placement("chat", entry("east", 1))],
        [deployment("chat", engine(request(), nodeSelector={"a": "b"})), placement("chat", entry("east", 1))],
        ["UpdateStopsModel"],
    ),
    "a record that vanishes": (
        CHAT,
        [deployment(replicas=1), placement("chat", entry("east", 1))],
        ["UnretiredRemoval", "Orphaned", "Leaving"],
    ),
    "a pool that holds too much": (
        CHAT,
        [*CHAT, deployment("big", engine(request(count=8)), replicas=2), placement("big", entry("east", 2))],
        ["Overcommitted", "OneCluster", "NoHeadroom"],
    ),
    "no room for what the largest cluster holds": (
        CHAT,
        [*CHAT, deployment("big", engine(request(count=8)), replicas=2), placement("big", entry("east", 1), entry("west", 1))],
        ["NoHeadroom"],
    ),
    "a record that is missing": ([], [deployment()], ["Unrecorded"]),
    "a class without a price": (
        CHAT,
        [*CHAT, {"kind": "InferenceClass", **{k: v for k, v in hardware("h100").items() if k != "kind"}}],
        ["Unpriced"],
    ),
}


@pytest.mark.parametrize(("before", "after", "expected"), WORDS.values(), ids=WORDS)
def test_alarms_and_risks(tmp_path: Path, before: list[Manifest], after: list[Manifest], expected: list[str]) -> None:
    change = json.loads(planned(changed(tmp_path, before, after), "--base", "HEAD", "--format", "json"))
    assert [note["word"] for note in (*change["alarms"], *change["risks"])] == expected


def test_verbose_shows_every_diff(tmp_path: Path) -> None:
    root = changed(tmp_path, CHAT, [deployment(replicas=3), placement("chat", entry("east", 2), entry("west", 1))])
    said = planned(root, "--base", "HEAD", "-v")
    assert "east/model/ml/chat: Deployment chat-main-9f1e463d changed (+1 -1)\n--- before\n+++ after\n" in said
    assert "\n-  replicas: 1\n+  replicas: 2\n" in said


def test_a_terminal_gets_colour_and_no_more_columns_than_it_has(tmp_path: Path) -> None:
    root = changed(tmp_path, CHAT, [deployment(replicas=3), placement("chat", entry("east", 2), entry("west", 1))])
    said = modelfleet(root, "plan", "--base", "HEAD", "--color", "-v", COLUMNS="60").out
    assert "\x1b[36mresized" in said
    assert max(len(re.sub(r"\x1b\[[0-9;]*m", "", line)) for line in said.splitlines()) <= 60


# What is asked, and the lines under Placements.
QUESTIONS: dict[str, tuple[list[str], list[str]]] = {
    "nothing": ([], []),
    "a cluster is lost": (["--without", "east"], ["ml/chat     moved  2 of 2  2 of 2  east 1 (h100) lost, west 1 -> 2 (h100)"]),
    "a cluster is drained": (["--drain", "east"], ["ml/chat     moved  2 of 2  2 of 2  east 1 (h100) retiring, west 1 -> 2 (h100)"]),
    "more replicas": (
        ["--set", "deployment/ml/chat.spec.replicas=4"],
        ["ml/chat     resized  2 of 2  4 of 4  east 1 -> 2 (h100), west 1 -> 2 (h100)"],
    ),
    "a price": (["--set", "class/h100.cost.perNodeHour=40"], []),
    "two at once": (
        ["--without", "east", "--set", "ModelDeployment/ml/chat.replicas=3"],
        ["ml/chat     moved  2 of 2  3 of 3  east 1 (h100) lost, west 1 -> 3 (h100)"],
    ),
    "a new pool": (["--set", "cluster/west.nodePools.more={className: h100, nodeCount: 1}"], []),
    "a pool that grows": (["--set", "cluster/west.nodePools.h100.nodeCount=3"], []),
    "a field that is taken away": (["--set", "class/h100.cost=null"], []),
    "a label whose name has a dot": (["--set", "cluster/west.metadata.labels.example\\.com/a=b"], []),
}


@pytest.mark.parametrize(("asked", "expected"), QUESTIONS.values(), ids=QUESTIONS)
def test_what_if(tmp_path: Path, asked: list[str], expected: list[str]) -> None:
    said = planned(repository(tmp_path, *FLEET, *CHAT), *asked)
    assert section(said, "Placements")[1:] == expected
    assert "Unrecorded" not in said


def test_a_question_changes_capacity_and_cost(tmp_path: Path) -> None:
    root = repository(tmp_path, *FLEET, *CHAT)
    said = planned(root, "--set", "class/h100.cost.perNodeHour=40", "--set", "cluster/west.nodePools.h100.nodeCount=3")
    assert section(said, "Capacity")[2:] == ["west     h100  h100/gpu    2 -> 3  16 -> 24     1  15 -> 23         0"]
    assert section(said, "Cost (USD an hour)")[1] == "total              20.00  10.00      -10.00"


# What cannot be asked, its exit code, and the first line of what is said.
REFUSED: dict[str, tuple[list[str], int, str]] = {
    "a cluster that is not there": (["--drain", "eastt"], 1, "command line: error[NoSuch]: no cluster is named `eastt`"),
    "a base that begins with a dash": (["--base", "-x"], 4, "--base: error[Base]: `-x` is not a commit: it begins with a dash"),
    "a base that is not there": (["--base", "origin/main"], 4, "--base: error[Base]: there is no commit `origin/main` in this clone"),
    "no value": (["--set", "cluster/east"], 1, "--set: error[NoSuch]: `cluster/east` does not say what to set"),
    "no kind": (["--set", "clusters/east.a=1"], 1, "--set: error[NoSuch]: no kind is called `clusters`"),
    "no such object": (["--set", "cluster/eats.a=1"], 1, "--set: error[NoSuch]: no InferenceCluster is named `eats`"),
    "no such field": (
        ["--set", "cluster/east.spec.nodePool=1"],
        1,
        "fleet/inferencecluster-east.yaml:5:1: error[UnknownField]: `nodePool` is not a field of InferenceCluster.spec",
    ),
    "a field of a number": (
        ["--set", "deployment/ml/chat.replicas.most=1"],
        1,
        "--set: error[NoSuch]: ModelDeployment `ml/chat`: `spec.replicas` holds no fields",
    ),
    "a value that is no YAML": (["--set", "cluster/east.nodePools=[a"], 1, "--set:2:1: error[YamlSyntax]: did not find expected"),
    "an item that is no mapping": (
        ["--set", "cluster/east.nodePools.more=3"],
        1,
        "--set: error[NoSuch]: InferenceCluster `east`: `spec.nodePools.more` takes the fields of an item: {name: more, ...}",
    ),
}


@pytest.mark.parametrize(("asked", "code", "said"), REFUSED.values(), ids=REFUSED)
def test_refused(tmp_path: Path, asked: list[str], code: int, said: str) -> None:
    result = modelfleet(committed(tmp_path, *FLEET, *CHAT), "plan", *asked)
    assert (result.code, result.out) == (code, "")
    assert result.err.startswith(said), result.err


def test_a_work_tree_with_mistakes_prints_nothing(tmp_path: Path) -> None:
    root = committed(tmp_path, *FLEET, *CHAT)
    (root / "models/ml/broken.yaml").write_text("a: [")
    result = modelfleet(root, "plan", "--base", "HEAD")
    assert (result.code, result.out) == (1, "")


def test_a_base_without_a_fleet(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    commit(tmp_path)
    said = planned(repository(tmp_path, *FLEET, *CHAT), "--base", "HEAD")
    assert section(said, "Placements")[1:] == ["ml/chat     added  0 of 0  2 of 2  east 1 (h100), west 1 (h100)"]
    assert section(said, "What this comparison leaves out") == ["HEAD has no fleet that could be read: everything is new"]
    assert "Source" not in said


def test_a_base_with_mistakes(tmp_path: Path) -> None:
    """What is wrong there is left out and named; what is right is compared."""
    root = committed(tmp_path, *FLEET, *CHAT, deployment("other"), placement("other", entry("east", 1)))
    broken = root / "models/ml/modeldeployment-other.yaml"
    mended = broken.read_text()
    broken.write_text(mended.replace("replicas: 1", "replica: 1"))
    commit(root)
    broken.write_text(mended)
    said = planned(root, "--base", "HEAD")
    notes = section(said, "What this comparison leaves out")
    assert notes[0].startswith("HEAD has 1 mistakes, and what they are in counts as not there: models/ml/modeldeployment-other.yaml:7:3")
    assert "east/model/ml/other" in notes[1]


def test_files_that_are_renamed_change_nothing(tmp_path: Path) -> None:
    root = committed(tmp_path, *FLEET, *CHAT)
    git(root, "mv", "models/ml/modeldeployment-chat.yaml", "models/ml/chat.yaml")
    git(root, "mv", "fleet/inferencecluster-east.yaml", "fleet/a-cluster.yaml")
    assert "nothing would change" in planned(root, "--base", "HEAD")


def test_a_base_that_was_pushed_by_force(tmp_path: Path) -> None:
    """The branch's own commit is compared, which the base no longer has; a base with another history is refused."""
    root = committed(tmp_path, *FLEET)
    git(root, "checkout", "-q", "-b", "mine")
    commit(repository(root, *CHAT))
    git(root, "checkout", "-q", "main")
    git(root, "commit", "-q", "--amend", "--allow-empty", "-m", "another")
    git(root, "checkout", "-q", "mine")
    result = modelfleet(root, "plan", "--base", "main")
    assert (result.code, result.out) == (4, "")
    assert "their histories are unrelated" in result.err


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder to another user")
def test_a_checkout_of_another_user(tmp_path: Path) -> None:
    root = committed(tmp_path / "repo", *FLEET, *CHAT)
    for path in (root, *root.rglob("*")):
        os.chown(path, 65534, 65534, follow_symlinks=False)
    empty = {"HOME": str(tmp_path), "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}
    result = modelfleet(root, "plan", "--base", "HEAD", **empty)
    assert (result.code, result.out) == (4, "")
    assert f"Git does not read {root}: it belongs to another user\n  hint: git config --global --add safe.directory {root}" in result.err


def test_a_shallow_clone_says_what_to_fetch(tmp_path: Path) -> None:
    first = committed(tmp_path / "first", *FLEET)
    git(first, "checkout", "-q", "-b", "mine")
    commit(repository(first, *CHAT), "mine")
    git(first, "checkout", "-q", "main")
    commit(first, "theirs")
    git(tmp_path, "clone", "-q", "--depth=1", "--no-single-branch", "--branch=mine", first.as_uri(), "second")
    result = modelfleet(tmp_path / "second", "plan", "--base", "origin/main")
    assert result.code == 4 and "hint: git fetch --unshallow, or in CI: fetch-depth: 0" in result.err
    git(tmp_path / "second", "fetch", "-q", "--unshallow")
    assert "1 added" in planned(tmp_path / "second", "--base", "origin/main")


def test_a_linked_work_tree(tmp_path: Path) -> None:
    root = committed(tmp_path / "first", *FLEET)
    git(root, "worktree", "add", "-q", str(tmp_path / "second"))
    assert "1 added" in planned(repository(tmp_path / "second", *CHAT), "--base", "main")


def test_newly_needed_secrets(tmp_path: Path) -> None:
    def needing(*keys: str) -> Manifest:
        env = [{"name": key, "valueFrom": {"secretKeyRef": {"name": "tokens", "key": key}}} for key in keys]
        made = engine(request())
        made["members"][0]["template"]["spec"]["containers"][0]["env"] = env
        return deployment("chat", made, replicas=2)

    root = changed(tmp_path, [needing("OLD"), CHAT[1]], [needing("OLD", "NEW"), CHAT[1]])
    said = section(planned(root, "--base", "HEAD"), "Secrets that are newly needed")
    assert said[2:] == ["east     ml         tokens  NEW", "west     ml         tokens  NEW"]


def test_the_same_question_has_the_same_answer(tmp_path: Path) -> None:
    root = changed(tmp_path, CHAT, [deployment(replicas=3), placement("chat", entry("east", 2), entry("west", 1))])
    for form in ("text", "markdown", "json", "html"):
        assert planned(root, "--base", "HEAD", "--format", form) == planned(root, "--base", "HEAD", "--format", form)


def test_json_is_what_its_schema_says(tmp_path: Path) -> None:
    schema = Draft202012Validator(plan_schema())
    Draft202012Validator.check_schema(plan_schema())
    for number, (before, after, _) in enumerate([*CHANGES.values(), *WORDS.values()]):
        found = json.loads(planned(changed(tmp_path / str(number), before, after), "--base", "HEAD", "--format", "json"))
        assert [error.message for error in schema.iter_errors(found)] == []
    assert [error.message for error in schema.iter_errors({**found, "headline": 1, "pools": [{}]})] != []


# --- Markdown ---------------------------------------------------------------------------------------------------------


def rendered(text: str) -> str:
    """HTML as a forge makes it of a comment."""
    return MarkdownIt("gfm-like", {"linkify": False}).render(text)


def made(objects: int, lines: int, *, text: str = "x") -> Change:
    """A change with so many objects, each with a diff of so many lines; text stands wherever a user's word may."""
    diff = "\n".join(["--- before", "+++ after", *(f"+{text} {i}" for i in range(lines))])
    found = tuple(ObjectChange("base", "ConfigMap", "ns", f"o{i}", "changed", "", lines, 0, diff) for i in range(objects))
    note = Note("Word", text, text, text)
    return Change(
        version=1, before=text, after=text, headline=text, currency="USD", alarms=(note,), deployments=(), shortfalls=(),
        risks=(note,) * objects, rollouts=(), pools=(), costs=(CostChange("total", "", "0.00", "1.00", "+1.00"),), secrets=(),
        clusters=(ClusterChange("east", (), (), found),), notes=(text,),
    )  # fmt: skip


@pytest.mark.parametrize(("objects", "lines"), [(1, 1), (30, 30), (200, 200), (3000, 40), (20000, 3)])
def test_markdown_fits_a_comment_and_is_whole(objects: int, lines: int) -> None:
    text = markdown(made(objects, lines))
    assert len(text.encode()) <= LIMIT
    page = rendered(text)
    assert page.count("<details>") == page.count("</details>") == text.count("```diff")
    assert page.count("<table>") == page.count("</table>") == 5


HOSTILE = "</details>|`a` ``b`` <script>x</script> [l](http://x.example) @team **b** \x1b[31m\n# head"


def test_markdown_says_what_users_wrote_and_does_nothing_of_it() -> None:
    page = rendered(markdown(made(2, 2, text=HOSTILE)))
    assert "<script>" not in page and "<strong>" not in page and "href" not in page and "\x1b" not in page
    assert page.count("<details>") == page.count("</details>") == 2
    assert "@team" not in re.sub(r"<code.*?</code>", "", page, flags=re.S)
    assert page.count("<h3>") == 1 and "<h1>" not in page


# --- HTML: what needs no browser; tests/e2e/test_report.py has the rest -------------------------------------------------


class Page(HTMLParser):
    """Tags that are opened and closed as they must be, their number, and what a reader sees."""

    VOID = ("meta", "br", "img")

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.count: Counter[str] = Counter()
        self.attributes: list[tuple[str, str, str]] = []
        self.text = ""
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.count[tag] += 1
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.count[tag] += 1

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] not in ("script", "style"):
            self.text += data


@pytest.mark.parametrize(("before", "after"), [c[:2] for c in CHANGES.values()], ids=CHANGES)
def test_a_page_is_whole_and_asks_for_nothing(tmp_path: Path, before: list[Manifest], after: list[Manifest]) -> None:
    page = Page(planned(changed(tmp_path, before, after), "--base", "HEAD", "--format", "html"))
    assert page.count["script"] == page.count["style"] == 1
    assert [value for _, name, value in page.attributes if name in ("href", "src") and not value.startswith("#")] == []
    targets = {value for _, name, value in page.attributes if name == "id"}
    assert {value[1:] for _, name, value in page.attributes if name == "href"} <= targets
    assert len(targets) == sum(name == "id" for _, name, _ in page.attributes)


def test_a_page_says_what_users_wrote_and_does_nothing_of_it(tmp_path: Path) -> None:
    made = deployment("chat", engine(request()), replicas=2)
    made["spec"]["template"]["spec"]["engines"][0]["members"][0]["template"]["spec"]["containers"][0]["args"].append(f"--x={HOSTILE}")
    page = Page(planned(changed(tmp_path, CHAT, [made, CHAT[1]]), "--base", "HEAD", "--format", "html"))
    assert page.count["script"] == 1 and page.count["details"] == page.count["summary"] == 2
    assert "</details>|`a` ``b`` <script>x</script>" in page.text and "\x1b" not in page.text


def test_the_map_shows_pods_before_and_after(tmp_path: Path) -> None:
    after = [deployment(replicas=3), placement("chat", entry("east", 3), entry("west", 1, retiring=True, replaced=1))]
    text = planned(changed(tmp_path, CHAT, after), "--base", "HEAD", "--format", "html")
    titles = Counter(re.findall(r"<title>(ml/chat: [^<]*)</title>", text))
    assert titles == {
        "ml/chat: 1 device, stays": 2,  # east, on both sides
        "ml/chat: 1 device, new": 2,
        "ml/chat: 1 device, goes": 1,
        "ml/chat: 1 device, retires": 1,
    }
    assert 'aria-label="east after: pool h100: 3 of 16 gpu used"' in text


def test_a_large_fleet_is_shown_by_its_pools(tmp_path: Path) -> None:
    many = [cluster(f"c{i:03}", pool(nodes=4)) for i in range(70)]
    root = repository(tmp_path, settings(), hardware("h100"), *many, deployment(replicas=2), placement("chat", entry("c001", 2)))
    page = Page(planned(root, "--without", "c001", "--format", "html"))
    assert "Capacity map" in page.text and "67 more clusters are in the overview above alone" in page.text
    assert page.count["article"] == 3
    assert ("svg", "aria-label", "70 clusters, each a column of its pools, shaded by how full they are") in page.attributes


def test_white_text_can_be_read_on_every_colour() -> None:
    def light(text: str) -> float:
        parts = [int(text[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [v / 12.92 if v <= 0.03928 else ((v + 0.055) / 1.055) ** 2.4 for v in parts]
        return sum(v * w for v, w in zip(linear, (0.2126, 0.7152, 0.0722), strict=True))

    assert [name for name in PALETTE if 1.05 / (light(name) + 0.05) < 4.5] == []
    assert len(set(PALETTE)) == len(PALETTE) >= 12


def test_which_node_a_pod_is_drawn_on_stays(tmp_path: Path) -> None:
    """What stays stands at the same place on both sides, whatever comes or goes around it."""
    models = [deployment(f"m{i}", engine(request(count=i))) for i in range(1, 6)]
    records = [placement(f"m{i}", entry("east", 1)) for i in range(1, 6)]
    after = [*models[1:], *records[1:], deployment("new", engine(request(count=1))), placement("new", entry("east", 1))]
    text = planned(changed(tmp_path, [*models, *records], after), "--base", "HEAD", "--format", "html")
    before, later = (re.search(rf'aria-label="east {when}:.*?</svg>', text, re.S)[0] for when in ("before", "after"))
    for name in ("m2", "m3", "m4", "m5"):
        places = [re.search(rf"<title>ml/{name}: [^<]*</title>(<rect [^>]*>)", side) for side in (before, later)]
        assert places[0] and places[1] and places[0][1] == places[1][1]


def test_diffs_of_what_changes_everywhere_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Counted, and said: the objects are still all there."""
    root = changed(tmp_path, CHAT, [*CHAT, settings(removal="Prune")])
    whole = json.loads(planned(root, "--base", "HEAD", "--format", "json"))
    monkeypatch.setattr("modelfleet.report.compare.DIFFED", 1)
    short = json.loads(planned(root, "--base", "HEAD", "--format", "json"))
    objects = [found for cluster in short["clusters"] for found in cluster["objects"]]
    assert [found["name"] for found in objects] == [found["name"] for cluster in whole["clusters"] for found in cluster["objects"]]
    left = sum(not found["diff"] for found in objects)
    assert 0 < left < len(objects) and short["notes"] == [f"the diffs of {left} of {len(objects)} objects"]
    assert whole["notes"] == []
