"""Credentials anywhere in a repository: refused, and nowhere shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.code_cases import API, GOOD
from tests.run import modelfleet

HELD = {
    "a token of Hugging Face": "hf_" + "a" * 30,
    "a key of OpenAI": "sk-" + "b" * 40,
    "a key of AWS": "AKIA" + "C" * 16,
    "a token of GitHub": "ghp_" + "d" * 36,
    "a token of GitLab": "glpat-" + "e" * 20,
    "a token of Vault": "hvs." + "f" * 30,
    "a private key": "-----BEGIN RSA PRIVATE KEY-----",
    "a password in an address": "https://user:hunter2hunter2@example.com/x",
}
ADD_ON = API + "kind: AddOn\nmetadata: {name: x, annotations: {note: '%s'}}\nspec: {catalog: loki, values: {%s}}\n"
PLACES = {
    "a chart's value": ("fleet/x.yaml", ADD_ON % ("", "a: [{b: '%s'}]")),
    "a chart's variable": ("fleet/x.yaml", ADD_ON % ("", "env: [{name: A, value: '%s'}]")),
    "an annotation": ("fleet/x.yaml", ADD_ON % ("%s", "")),
    "a ConfigMap": ("models/ml/c.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: ml}\ndata: {a: '%s'}\n"),
    "an engine's argument": ("models/ml/chat.yaml", GOOD["models/ml/chat.yaml"].replace("'x:1'", "'x:1', args: ['%s']")),
    "an engine's variable": ("models/ml/chat.yaml", GOOD["models/ml/chat.yaml"].replace("'x:1'", "'x:1', env: [{name: A, value: '%s'}]")),
    "the address of the repository": ("fleet/fleet.yaml", GOOD["fleet/fleet.yaml"].replace("https://git.example.com/fleet.git", "%s")),
    "a field that does not exist": ("fleet/x.yaml", API + "kind: Team\nmetadata: {name: t}\nspec: {namespaces: [ml], tokn: '%s'}\n"),
}


def written(root: Path, place: str, text: str) -> None:
    for path, content in {**GOOD, place: text}.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(content)


@pytest.mark.parametrize("secret", HELD.values(), ids=HELD)
@pytest.mark.parametrize(("place", "text"), PLACES.values(), ids=PLACES)
def test_it_is_refused_and_not_shown(tmp_path: Path, place: str, text: str, secret: str) -> None:
    written(tmp_path, place, text % secret)
    for arguments in (["check", "--all", "--color"], ["check", "--all", "--format=json"], ["check", "--format=sarif"], ["generate"]):
        result = modelfleet(tmp_path, *arguments)
        assert secret not in result.out + result.err, arguments
        assert result.code == 1 and "Secret" in result.out + result.err, (arguments, result)


@pytest.mark.parametrize(
    "values",
    ["password: hunter2", "grafana: {adminPassword: hunter2}", "auth: {apiKey: abc}", "a: [{bearer_token: x}]"],
)
def test_a_chart_s_value_under_the_name_of_a_secret(tmp_path: Path, values: str) -> None:
    written(tmp_path, "fleet/x.yaml", ADD_ON % ("", values))
    assert "error[SecretValue]" in modelfleet(tmp_path, "check").err


@pytest.mark.parametrize(
    "values",
    [
        "existingSecret: grafana",
        "admin: {existingSecret: grafana, passwordKey: admin-password}",
        "tokenSecretRef: {name: a}",
        "password: ''",
        "automountServiceAccountToken: false",
        "url: 'https://example.com:8443/a'",
        "max_tokens: '4096'",
    ],
)
def test_what_only_names_one(tmp_path: Path, values: str) -> None:
    written(tmp_path, "fleet/x.yaml", ADD_ON % ("", values))
    assert "Secret" not in modelfleet(tmp_path, "check").err
