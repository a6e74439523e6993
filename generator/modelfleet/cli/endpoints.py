"""modelfleet endpoints"""

from __future__ import annotations

import json
import shlex
from typing import Any

import click

from .. import codes, names, pipeline
from ..balance import Balance, Share, balance, fronts_of, urls
from ..diagnostics import Location, Report, nearest
from ..report.table import table
from ..resolve.fleet import Fleet, Front, Service
from .context import Context

HEAD = ("TIER", "SHARE", "ENTRY", "TARGET", "CLUSTER", "REPLICAS", "UPSTREAM", "HOST")
_ASK = [{"role": "user", "content": "Hello"}]

Json = dict[str, Any]


@click.command("endpoints", help="Show each service's URL, how to call it, and where its requests go.")
@click.argument("service", required=False, metavar="[NS/NAME]")
@click.option("--check-path", metavar="PATH", help="Show what this request path becomes on its way, such as /v1/chat/completions.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="Default: text.")
@click.pass_obj
def command(context: Context, service: str | None, check_path: str | None, form: str) -> None:
    """From the records, as it is rendered: a share without a record gets nothing."""
    if check_path is not None and not check_path.startswith("/"):
        raise click.UsageError("--check-path takes a path that begins with /")
    report = Report()
    fleet = context.read(pipeline.Slice(), report).fleet
    context.refuse_errors(report)
    assert fleet is not None
    known = {found.ref: found for found in fleet.services.values()}
    if service and service not in known:
        report.add(codes.NO_SUCH, f"no service is named `{service}`", Location("command line"), nearest(service, known))
        context.refuse_errors(report)
    wanted = [found for ref, found in known.items() if service in (None, ref)]
    answers = [answer for one in wanted for answer in _answers(fleet, one, check_path)]
    if form == "json":
        click.echo(json.dumps(answers, indent=2))
        return
    click.echo("\n\n".join(map(_text, answers)) if answers else "no service is declared")


def _answers(fleet: Fleet, service: Service, check_path: str | None) -> list[Json]:
    """One for each front door of a service; one without for a service that none serves."""
    fronts = fronts_of(fleet, service)
    if not fronts:
        return [{"service": service.ref, "frontDoor": None, "calls": [], "shares": [], "leftOut": []}]
    return [_answer(fleet, service, front, check_path) for front in fronts]


def _answer(fleet: Fleet, service: Service, front: Front, check_path: str | None) -> Json:
    found = balance(fleet, fleet.placements, service, front)
    rest = None if check_path is None else urls.below(check_path, service)
    return {
        "service": service.ref,
        "frontDoor": front.name,
        "cluster": front.cluster,
        "calls": _calls(fleet, service, front, found),
        "path": None if check_path is None else {"asked": check_path, "belongs": rest is not None},
        "shares": [_share(fleet, service, share, rest) for share in found.shares],
        "leftOut": [{"target": left.shown, "entry": left.entry, "reason": left.reason} for left in found.left_out]
        + [{"target": name, "entry": name, "reason": "matches nothing"} for name in found.unmatched],
    }


def _share(fleet: Fleet, service: Service, share: Share, rest: str | None) -> Json:
    upstream = urls.upstream(fleet, service, share)
    path = upstream.path(urls.CALLED if rest is None else rest)
    return {
        "tier": share.tier + 1,
        "percent": share.part / 10_000,
        "weight": share.weight,
        "entry": share.entry,
        "target": share.target,
        "cluster": share.cluster or None,
        "replicas": share.replicas if share.cluster else None,
        "retiring": share.retiring,
        "model": _known_as(fleet, service, share),
        "upstream": None if path is None else upstream.url + path,
        "host": upstream.host,
    }


def _calls(fleet: Fleet, service: Service, front: Front, found: Balance) -> list[Json]:
    """Ways to call: base URL, what to send as `model`, curl and Python."""
    door = urls.door_url(front)
    ways = []
    if front.by_path:
        ways.append(("Path", f"{door}{urls.service_path(service)}{urls.CALLED}", _served(fleet, service, found)))
    if front.by_model:
        ways.append(("ModelName", f"{door}{urls.CALLED}", service.ref))
    found_ways: list[Json] = [
        {"by": by, "baseURL": url, "model": model, "curl": _curl(url, model, front), "python": _python(url, model, front)}
        for by, url, model in ways
    ]
    if front.by_model:
        found_ways[-1]["anthropicBaseURL"] = f"{door}/anthropic"
    return found_ways


def _served(fleet: Fleet, service: Service, found: Balance) -> str:
    """The model name that the targets answer to; of providers that say none, a word that stands for it."""
    targets = [share.target for share in found.shares] + [left.target for left in found.left_out]
    for key in ((service.namespace, target) for target in targets):
        if key in fleet.deployments:
            return fleet.deployments[key].model_name
        if key in fleet.endpoints and (model := fleet.endpoints[key].spec.model):
            return model
    return "MODEL"


def _known_as(fleet: Fleet, service: Service, share: Share) -> str | None:
    """The name by which a target knows the model; None of a provider that says none."""
    key = (service.namespace, share.target)
    return fleet.deployments[key].model_name if share.cluster else fleet.endpoints[key].spec.model


def _curl(url: str, model: str, front: Front) -> str:
    key = ['-H "Authorization: Bearer $API_KEY"'] if front.spec.auth else []
    body = shlex.quote(json.dumps({"model": model, "messages": _ASK}))
    return " ".join(["curl", shlex.quote(f"{url}/chat/completions"), *key, "-H 'Content-Type: application/json'", f"-d {body}"])


def _python(url: str, model: str, front: Front) -> str:
    key = 'os.environ["API_KEY"]' if front.spec.auth else '"none"'
    lines = [
        *(["import os"] if front.spec.auth else []),
        "from openai import OpenAI",
        f"client = OpenAI(base_url={json.dumps(url)}, api_key={key})",
        f"client.chat.completions.create(model={json.dumps(model)}, messages={json.dumps(_ASK)})",
    ]
    return "\n".join(lines)


def _text(answer: Json) -> str:
    if answer["frontDoor"] is None:
        return f"{answer['service']}: no front door serves it; declare an InferenceGateway, or see its serviceSelector"
    lines = [f"{answer['service']} at front door {answer['frontDoor']} on {answer['cluster']}"]
    for call in answer["calls"]:
        way = "by path" if call["by"] == "Path" else "by model name"
        lines += ["", f"  {way}: {call['baseURL']}  model: {call['model']}", "", f"    {call['curl']}", ""]
        lines += [f"    {line}" for line in call["python"].splitlines()]
        if "anthropicBaseURL" in call:
            lines += ["", f"    Anthropic's clients: base URL {call['anthropicBaseURL']}"]
    if answer["calls"] and urls.ADDRESS in answer["calls"][0]["baseURL"]:
        command = f"kubectl get gateway -n {names.SYSTEM_NAMESPACE} {names.FRONT} -o jsonpath='{{.status.addresses[0].value}}'"
        lines += ["", f"  {urls.ADDRESS}, on {answer['cluster']}: {command}"]
    lines += ["", *_shares_text(answer)]
    return "\n".join(lines)


def _shares_text(answer: Json) -> list[str]:
    asked = answer["path"]
    if asked and not asked["belongs"]:
        return [f"  {asked['asked']} is not a path of this service"]
    rows = [
        (
            str(share["tier"]),
            f"{share['percent']:.4g} %",
            share["entry"],
            share["target"] + (" (retiring)" if share["retiring"] else ""),
            share["cluster"] or "-",
            str(share["replicas"] or "-"),
            share["upstream"] or "404",
            share["host"],
        )
        for share in answer["shares"]
    ]
    lines = [f"  {line}" for line in table(HEAD, rows).splitlines()] if rows else ["  nothing answers: callers get 503"]
    return lines + [f"  left out: {left['target']}: {left['reason']}" for left in answer["leftOut"]]
