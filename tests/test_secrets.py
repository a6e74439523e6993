"""Secrets that are written out: refused wherever they stand, shown nowhere; references and digests are none."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from modelfleet import redact

from tests.builders import API, cluster, deployment, entry, hardware, placement, settings
from tests.run import modelfleet, repository

HF, SK, PAT = "hf_" + "a1B2c3D4" * 4, "sk-" + "0123456789abcdef" * 2, "ghp_" + "Ab1" * 12
KEY = "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\n"
PLAIN = "correct-horse-9"
ENGINE = ("spec", "template", "spec", "engines", 0)
POD = (*ENGINE, "members", 0, "template", "spec")
BOX = (*POD, "containers", 0)
OUT = "looks like a secret that is written out; it is not shown here"

Place = tuple[Any, ...]


def alternative(**member: Any) -> list[dict[str, Any]]:
    return [{"name": "b", "members": [member]}]


# (what, kind, place, value, what of it is never shown, what is said)
CASES: list[tuple[str, str, Place, Any, str, str]] = [
    ("a variable by its value", "ModelDeployment", (*BOX, "env"), [{"name": "X", "value": HF}], HF, "`X`"),
    ("a variable by its name", "ModelDeployment", (*BOX, "env"), [{"name": "MY_API_KEY", "value": PLAIN}], PLAIN, "`MY_API_KEY`"),
    ("AWS", "ModelDeployment", (*BOX, "env"), [{"name": "AWS_SECRET_ACCESS_KEY", "value": PLAIN}], PLAIN, "`AWS_SECRET_ACCESS_KEY`"),
    (
        "an init container", "ModelDeployment", (*POD, "initContainers"),
        [{"name": "i", "image": "a:1", "env": [{"name": "HF_TOKEN", "value": PLAIN}]}], PLAIN, "`HF_TOKEN`",
    ),
    (
        "an alternative's variable", "ModelDeployment", (*ENGINE, "alternatives"),
        alternative(env=[{"name": "HF_TOKEN", "value": HF}]), HF, "`HF_TOKEN`",
    ),
    (
        "an alternative's argument", "ModelDeployment", (*ENGINE, "alternatives"),
        alternative(extraArgs=[f"--api-key={SK}"]), SK, "this text",
    ),
    ("an argument by its shape", "ModelDeployment", (*BOX, "args"), [f"--api-key={SK}"], SK, "this text"),
    ("an argument by its name", "ModelDeployment", (*BOX, "args"), [f"--api-key={PLAIN}"], PLAIN, "`--api-key`"),
    ("a flag and its value apart", "ModelDeployment", (*BOX, "args"), ["--api-key", PLAIN], PLAIN, "`--api-key`"),
    ("a token of Hugging Face as a flag", "ModelDeployment", (*BOX, "args"), [f"--hf-token={PLAIN}"], PLAIN, "`--hf-token`"),
    (
        "a shell's script", "ModelDeployment", (*BOX, "command"),
        ["sh", "-c", f"export HF_TOKEN={PLAIN}; exec vllm serve m"], PLAIN, "`HF_TOKEN`",
    ),
    (
        "a shell's script with a flag", "ModelDeployment", (*BOX, "command"),
        ["sh", "-c", f"exec vllm serve m --api-key '{PLAIN}'"], PLAIN, "`--api-key`",
    ),
    (
        "an annotation", "ModelDeployment", (*ENGINE, "members", 0, "template", "metadata"),
        {"annotations": {"note": f"the key is {SK}"}}, SK, "`note`",
    ),
    ("a header of a probe", "ModelDeployment", (*BOX, "livenessProbe"),
     {"httpGet": {"port": 80, "httpHeaders": [{"name": "Authorization", "value": f"Bearer {SK}"}]}}, SK, "`Authorization`"),
    ("a file", "ConfigMap", ("data", "token.txt"), f"x {HF}\n", HF, "`token.txt`"),
    ("a private key", "ConfigMap", ("data", "id_rsa"), KEY, "MIIE", "`id_rsa`"),
    ("a file by its name", "ConfigMap", ("data", "password"), PLAIN, PLAIN, "`password`"),
    ("a binary file", "ConfigMap", ("binaryData", "blob"), base64.b64encode(f"a {HF}".encode()).decode(), HF, "`blob`"),
    ("a script in a file", "ConfigMap", ("data", "run.sh"), f"export OPENAI_API_KEY={PLAIN}\n", PLAIN, "`OPENAI_API_KEY`"),
    ("a key of a mapping", "ConfigMap", ("metadata", "annotations"), {HF: "x"}, HF, "this key"),
    (
        "the repository's URL", "Fleet", ("spec", "argocd", "repoURL"),
        f"https://user:{PAT}@git.example.com/acme/fleet.git", PAT, "`repoURL`",
    ),
    ("a plain password in a URL", "Fleet", ("spec", "argocd", "repoURL"), f"https://u:{PLAIN}@git.example.com/f.git", PLAIN, "`repoURL`"),
    ("a token for a user", "Fleet", ("spec", "argocd", "repoURL"), f"https://{PAT}@git.example.com/f.git", PAT, "`repoURL`"),
    ("an add-on's value by its key", "AddOn", ("spec", "values"), {"grafana": {"adminPassword": PLAIN}}, PLAIN, "`adminPassword`"),
    ("an add-on's value by its shape", "AddOn", ("spec", "values"), {"a": [{"b": f"x={PAT}"}]}, PAT, "`b`"),
    ("an add-on's repository", "AddOn", ("spec", "chart", "repoURL"), f"https://u:{PLAIN}@charts.example.com", PLAIN, "`repoURL`"),
    ("an add-on's variable", "AddOn", ("spec", "values"), {"extraEnv": [{"name": "DB_PASSWORD", "value": PLAIN}]}, PLAIN, "`DB_PASSWORD`"),
    ("a label of a cluster", "InferenceCluster", ("metadata", "labels"), {"a": PAT}, PAT, "`a`"),
]  # fmt: skip
GOOD: list[tuple[str, str, Place, Any]] = [
    (
        "a reference to a variable",
        "ModelDeployment",
        (*BOX, "args"),
        ["--api-key=$(API_KEY)", "--api-key", "$(API_KEY)", "--hf-token=$HF_TOKEN"],
    ),
    (
        "a reference of a shell",
        "ModelDeployment",
        (*BOX, "command"),
        ["sh", "-c", 'HF_TOKEN="$(cat /run/token)" exec vllm --api-key ${API_KEY}'],
    ),
    ("a flag without a value", "ModelDeployment", (*BOX, "args"), ["--api-key", "--port=8001", "--enable-auth-token"]),
    (
        "tokens that are no secrets",
        "ModelDeployment",
        (*BOX, "args"),
        ["--max-num-batched-tokens=8192", "--tokenizer=org/x", "--eos-token=</s>", "--max-tokens", "5"],
    ),
    (
        "a reference in a variable",
        "ModelDeployment",
        (*BOX, "env"),
        [{"name": "A_TOKEN", "value": "$(B)"}, {"name": "MAX_TOKEN", "value": "8"}],
    ),
    (
        "a Secret",
        "ModelDeployment",
        (*BOX, "env"),
        [{"name": "HF_TOKEN", "valueFrom": {"secretKeyRef": {"name": "hf", "key": "HF_TOKEN"}}}],
    ),
    ("a path to a token", "ModelDeployment", (*BOX, "env"), [{"name": "AZURE_CREDENTIALS", "value": "/var/run/secrets/key.json"}]),
    ("a digest", "ModelDeployment", (*BOX, "image"), "registry.example.com/vllm@sha256:" + "0123456789abcdef" * 4),
    (
        "a hash in an annotation",
        "ModelDeployment",
        (*ENGINE, "members", 0, "template", "metadata"),
        {"annotations": {"sum": "deadbeef" * 8}},
    ),
    (
        "a name with sk-",
        "ModelDeployment",
        (*BOX, "args"),
        ["--model=org/disk-task-model-of-many-words-and-so-on", "risk-0123456789-0123456789-abc"],
    ),
    (
        "a chat template",
        "ConfigMap",
        ("data", "chat.jinja"),
        "{{ bos_token }}{% for m in messages %}{{ m.content }}{% endfor %}{{ eos_token }}",
    ),
    ("a script that reads", "ConfigMap", ("data", "run.sh"), 'export HF_TOKEN=$(cat /t)\nTOKEN="$1"\nvllm --api-key "$KEY"\n'),
    ("a URL with a user", "Fleet", ("spec", "argocd", "repoURL"), "ssh://git@git.example.com/acme/fleet.git"),
    ("another way to write it", "Fleet", ("spec", "argocd", "repoURL"), "git@git.example.com:acme/fleet.git"),
    (
        "a Secret that an add-on reads",
        "AddOn",
        ("spec", "values"),
        {"existingSecret": "grafana-admin", "tokenSecret": "x-1", "passwordKey": "pw", "imagePullSecrets": ["a-1"]},
    ),
    (
        "what an add-on leaves empty",
        "AddOn",
        ("spec", "values"),
        {"apiKey": "", "adminPassword": "{{ cluster.name }}", "apiToken": "$TOKEN", "password": True},
    ),
    (
        "a database by reference",
        "AddOn",
        ("spec", "values"),
        {"url": "postgres://app:$(DB_PASSWORD)@db:5432/a", "other": "https://u:***@h/x"},
    ),
    ("a time", "AddOn", ("spec", "values"), {"at": "http://a.example.com:8080/x@y", "mail": "https://example.com/@user:name"}),
]


def put(manifests: list[dict[str, Any]], kind: str, place: Place, value: Any) -> None:
    """Sets a value in the document of a kind."""
    target: Any = next(m for m in manifests if m["kind"] == kind)
    for step in place[:-1]:
        target = target.setdefault(step, {}) if isinstance(step, str) else target[step]
    target[place[-1]] = value


def declared(kind: str, place: Place, value: Any, root: Path) -> Path:
    """A fleet with one of each kind, and a value in one of them."""
    config = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "chat", "namespace": "ml"}}
    chart = {"repoURL": "https://charts.example.com", "name": "a", "version": "1.0.0"}
    add_on = {"apiVersion": API, "kind": "AddOn", "metadata": {"name": "extra"}, "spec": {"chart": chart}}
    manifests = [settings(), hardware("h100"), cluster("east"), deployment(), placement("chat", entry()), config, add_on]
    put(manifests, kind, place, value)
    models = [m for m in manifests if m["kind"] == "ConfigMap"]
    found = repository(root, *(m for m in manifests if m not in models))
    from modelfleet.emit import document

    (root / "models/ml/config.yaml").write_text(document(models[0]), encoding="utf-8")
    return found


COMMANDS = [
    ("check",), ("check", "--format", "json"), ("check", "--format", "sarif"), ("check", "--format", "github"), ("--color", "check"),
    ("generate",), ("generate", "--recorded"), ("place",), ("place", "--check"), ("plan",),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "place", "value", "secret", "said"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_a_secret_is_refused_and_never_shown(tmp_path: Path, kind: str, place: Place, value: Any, secret: str, said: str) -> None:
    root = declared(kind, place, value, tmp_path)
    result = modelfleet(root, "check")
    assert result.code == 1 and f"error[WrittenSecret]: {said} {OUT}" in result.err, result.err
    for command in COMMANDS:
        result = modelfleet(root, *command)
        assert result.code == 1 and "WrittenSecret" in result.err + result.out, (command, result)
        assert secret not in result.out + result.err, command


@pytest.mark.parametrize(("kind", "place", "value"), [case[1:] for case in GOOD], ids=[case[0] for case in GOOD])
def test_what_is_no_secret_is_taken(tmp_path: Path, kind: str, place: Place, value: Any) -> None:
    assert "WrittenSecret" not in modelfleet(declared(kind, place, value, tmp_path), "check").err


def test_the_plugin_keeps_running_what_is_in_git_already(tmp_path: Path) -> None:
    root = declared("ModelDeployment", (*BOX, "args"), [f"--api-key={SK}"], tmp_path)
    parameters = '[{"name": "cluster", "string": "east"}, {"name": "unit", "string": "model/ml/chat"}]'
    assert modelfleet(root, "cmp", "generate", ARGOCD_APP_PARAMETERS=parameters).code == 0


@pytest.mark.parametrize("text", [HF, SK, PAT, KEY, f"https://u:{PLAIN}@h/x"])
def test_another_mistake_beside_a_secret_does_not_show_it(tmp_path: Path, text: str) -> None:
    root = declared("ModelDeployment", ("spec", "template", "spec", "serving"), {"port": text, "mode": text, "healthPath": text}, tmp_path)
    for command in COMMANDS:
        result = modelfleet(root, *command)
        assert result.code == 1
        assert not any(part in result.out + result.err for part in (HF, SK, PAT, "MIIE", PLAIN)), command


@given(st.text(st.characters(max_codepoint=126, min_codepoint=10), max_size=200))
def test_what_was_redacted_holds_no_secret(text: str) -> None:
    for around in (text, f"{text}{HF}", f"{text} {SK} {text}", f"{text}https://u:{PLAIN}@h{text}"):
        assert not redact.by_shape(redact.redacted(around))
