"""modelfleet runbook"""

from __future__ import annotations

import click

from .. import codes, pipeline
from ..diagnostics import Location, Report, nearest
from .context import Context


@click.command("runbook", help="Write a deployment's readiness review and runbook: owners, limits, secrets, failures and what to do.")
@click.argument("subject", metavar="NS/NAME")
@click.option("--format", "form", type=click.Choice(["text", "markdown"]), default="text", help="Default: text.")
@click.pass_obj
def command(context: Context, subject: str, form: str) -> None:
    """The runbook of one deployment, from its declaration and record."""
    from .. import runbook
    from ..advice import check_advice

    report = Report()
    repository, fleet = context.readable(report)
    known = {deployment.ref: key for key, deployment in fleet.deployments.items()}
    if subject not in known:
        report.add(codes.NO_SUCH, f"no deployment is named `{subject}`", Location("command line"), nearest(subject, known))
        context.refuse_errors(report)
    pipeline.check_recorded(repository, own := Report())
    namespace, name = known[subject]
    path = fleet.deployments[known[subject]].location.path
    report.extend(found for found in own.errors if found.location.path in (path, f"placements/{namespace}/{name}.yaml"))
    context.refuse_errors(report)
    check_advice(repository.resources, fleet, said := Report())
    advice = [f"{found.code.name}: {found.message}" for found in said.sorted() if found.location.path == path]
    sections = runbook.runbook(fleet, pipeline.recorded(fleet), known[subject], advice)
    click.echo((runbook.markdown if form == "markdown" else runbook.text)(subject, sections))
