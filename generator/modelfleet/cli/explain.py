"""modelfleet explain"""

from __future__ import annotations

import json

import click

from .. import codes
from ..diagnostics import Code, Location, Report, nearest
from ..report.table import table
from ..resolve.fleet import Fleet
from .context import Context


@click.command("explain", help="Say why a deployment runs where it runs, and not elsewhere; or what a diagnostic's code means.")
@click.argument("subject", metavar="NS/NAME | CODE")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="Of a deployment. Default: text.")
@click.pass_obj
def command(context: Context, subject: str, form: str) -> None:
    """A table with a line for each cluster, or the text of a code."""
    if subject in codes.ALL:
        click.echo(_code(codes.ALL[subject]))
        return
    report = Report()
    known: dict[str, tuple[str, str]] = {}
    if "/" in subject or context.has_root():
        _, fleet = context.readable(report)
        known = {deployment.ref: key for key, deployment in fleet.deployments.items()}
    if subject not in known:
        same = [ref for ref in known if ref.split("/")[1] == subject]
        hint = f"did you mean `{same[0]}`?" if same else nearest(subject, known if "/" in subject else {**known, **codes.ALL})
        what = "deployment" if "/" in subject else "deployment or code"
        report.add(codes.NO_SUCH, f"no {what} is named `{subject}`", Location("command line"), hint)
        context.refuse_errors(report)
    click.echo(_json(fleet, known[subject]) if form == "json" else _table(fleet, known[subject]))


def _code(code: Code) -> str:
    lines = [f"{code.name} ({code.severity.word})", "", code.what, f"Why: {code.why}", f"Fix: {code.fix}"]
    if code.example:
        lines += ["Example:", *(f"    {line}" for line in code.example.splitlines())]
    return "\n".join(lines)


def _table(fleet: Fleet, key: tuple[str, str]) -> str:
    """One line for each cluster: what runs there, and whether it takes another."""
    from ..place.explain import verdicts

    rows, summary = verdicts(fleet, key)
    shown = [
        (row.cluster, row.there or "-", "no" if row.reason else "yes", f"{row.reason}: {row.text}" if row.reason else "") for row in rows
    ]
    lines = [f"{fleet.deployments[key].ref}: {_placed(fleet, key)}", summary, ""]
    return "\n".join([*lines, table(("CLUSTER", "REPLICAS", "ANOTHER", "WHY"), shown)])


def _placed(fleet: Fleet, key: tuple[str, str]) -> str:
    """`2 of 4 replicas recorded`."""
    deployment, recorded = fleet.deployments[key], fleet.placements.get(key)
    placed = sum(e.count for e in recorded.replicas if not e.retiring) if recorded else 0
    hint = "" if recorded else f": run modelfleet place {deployment.ref}"
    return f"{placed} of {deployment.wanted} replicas recorded{hint}"


def _json(fleet: Fleet, key: tuple[str, str]) -> str:
    from ..place.explain import verdicts

    rows, summary = verdicts(fleet, key)
    clusters = [{"cluster": r.cluster, "replicas": r.there, "another": not r.reason, "reason": r.reason, "text": r.text} for r in rows]
    said = {"deployment": fleet.deployments[key].ref, "wanted": fleet.deployments[key].wanted, "summary": summary, "clusters": clusters}
    return json.dumps(said, indent=2)
