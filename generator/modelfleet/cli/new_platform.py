"""modelfleet new class | cluster | gateway | team | addon"""

from __future__ import annotations

from typing import Any

import click

from .. import catalog, codes
from ..diagnostics import Location, Report, nearest
from ..report.table import table
from ..scaffold import platform
from .context import Context
from .writing import write


def pairs(ctx: click.Context, parameter: click.Parameter, values: Any) -> dict[str, str]:
    """KEY=VALUE flags as a mapping."""
    found = {}
    for value in values:
        key, equals, rest = value.partition("=")
        if not equals or not key:
            raise click.BadParameter(f"`{value}` is not KEY=VALUE", ctx, parameter)
        found[key] = rest
    return found


def _pools(ctx: click.Context, parameter: click.Parameter, values: Any) -> dict[str, tuple[str, int]]:
    """POOL=CLASS[:NODES] flags as a mapping."""
    found = {}
    for name, rest in pairs(ctx, parameter, values).items():
        of, _, nodes = rest.partition(":")
        if nodes and not (nodes.isascii() and nodes.isdigit()):
            raise click.BadParameter(f"`{nodes}` is no number of nodes", ctx, parameter)
        found[name] = (of, int(nodes or "1"))
    return found


@click.command("class", help="A hardware class NAME: the machine --shape of the catalog, or what --product, --memory and --count say.")
@click.argument("name", required=False)
@click.option("--list", "listed", is_flag=True, help="Show the catalog instead.")
@click.option("--shape", metavar="SHAPE", help="A machine of the catalog. Default: the one that is called NAME.")
@click.option("--product", help="productName as the driver publishes it, for hardware that the catalog lacks.")
@click.option("--memory", help="Memory of a device as the driver reports it, such as 81559Mi.")
@click.option("--count", type=click.IntRange(1, 64), default=1, help="Devices of a node. Default: 1.")
@click.option("--driver", default="gpu.nvidia.com", help="DRA driver. Default: gpu.nvidia.com.")
@click.option("--device-plugin", is_flag=True, help="A device plugin hands the devices out, not DRA.")
@click.pass_obj
def class_(
    context: Context, name: str | None, listed: bool, shape: str | None, product: str | None, memory: str | None,
    count: int, driver: str, device_plugin: bool,
) -> None:  # fmt: skip
    """Writes fleet/classes/NAME.yaml."""
    if listed:
        click.echo(_catalog())
        return
    if not name:
        raise click.UsageError("NAME is missing; --list shows the catalog")
    if bool(product) != bool(memory) or (product and shape):
        raise click.UsageError("--product and --memory belong together, and stand instead of --shape")
    if product and memory:
        hardware = catalog.Hardware(product, memory, "", "", driver=driver, type="gpu" if "nvidia" in driver else "")
        flags = platform.ClassFlags(name, hardware, count, device_plugin)
    else:
        found = _shape(context, shape or name)
        flags = platform.ClassFlags(name, found.device, found.count, device_plugin, found)
    write(context, context.root(), [platform.hardware_class(flags)])


def _shape(context: Context, name: str) -> catalog.Shape:
    known = catalog.shapes()
    if name not in known:
        report = Report()
        hint = nearest(name, known) if nearest(name, known).startswith("did") else "modelfleet new class --list, or --product and --memory"
        report.add(codes.NO_SUCH, f"the catalog has no machine `{name}`", Location("command line"), hint)
        context.refuse_errors(report)
    return known[name]


def _catalog() -> str:
    rows = []
    for shape in catalog.shapes().values():
        price = f"{shape.price} ({shape.seen})" if shape.price else "-"
        rows.append((shape.name, shape.provider, f"{shape.count} x {shape.device.product}", shape.device.memory, price))
    return table(("SHAPE", "PROVIDER", "DEVICES", "MEMORY", "USD AN HOUR"), rows)


@click.command("cluster", help="A cluster NAME that is there and that Argo CD knows.")
@click.argument("name")
@click.option("--pool", "pools", multiple=True, required=True, callback=_pools, metavar="POOL=CLASS[:NODES]", help="A pool; repeatable.")
@click.option("--label", "labels", multiple=True, callback=pairs, metavar="KEY=VALUE", help="A label that selectors match; repeatable.")
@click.option("--provider", default="", help="Cloud or own rack.")
@click.option("--region", default="", help="Region.")
@click.option("--zone", default="", help="Zone.")
@click.option("--kubernetes", default="", metavar="VERSION", help="Version of Kubernetes, such as 1.35. Default: 1.34.")
@click.option("--gateway", default="", metavar="HOST", help="Host name where the fleet's fronts reach its gateway.")
@click.option("--destination", default="", metavar="NAME", help="Name in Argo CD. Default: NAME.")
@click.pass_obj
def cluster(
    context: Context, name: str, pools: dict[str, tuple[str, int]], labels: dict[str, str], provider: str, region: str, zone: str,
    kubernetes: str, gateway: str, destination: str,
) -> None:  # fmt: skip
    """Writes fleet/clusters/NAME.yaml."""
    location = {"provider": provider, "region": region, "zone": zone}
    flags = platform.ClusterFlags(name, pools, labels, location, kubernetes, gateway, destination)
    write(context, context.root(), [platform.cluster(flags)])


@click.command("gateway", help="A front door NAME.")
@click.argument("name")
@click.option("--cluster", "cluster_name", required=True, help="Cluster that it stands on.")
@click.option("--hostname", default="", help="Host name that callers use.")
@click.option("--certificate", default="", metavar="SECRET", help="Secret with the certificate of the host name.")
@click.option("--keys", multiple=True, metavar="SECRET", help="Secret with callers' API keys; repeatable. Default: anyone may call.")
@click.pass_obj
def gateway_(context: Context, name: str, cluster_name: str, hostname: str, certificate: str, keys: tuple[str, ...]) -> None:
    """Writes fleet/gateways/NAME.yaml."""
    write(context, context.root(), [platform.gateway(name, cluster_name, hostname, certificate, keys)])


@click.command("team", help="A team NAME.")
@click.argument("name")
@click.option("--namespace", "-n", "namespaces", multiple=True, required=True, help="A namespace of the team; repeatable.")
@click.option("--group", "groups", multiple=True, help="A group of the identity provider; repeatable.")
@click.option("--class", "classes", multiple=True, help="A class that the team may use; repeatable. Default: all.")
@click.option("--devices", type=click.IntRange(0), help="Most devices of these classes together.")
@click.pass_obj
def team(
    context: Context, name: str, namespaces: tuple[str, ...], groups: tuple[str, ...], classes: tuple[str, ...], devices: int | None
) -> None:
    """Writes fleet/teams/NAME.yaml."""
    if devices is not None and not classes:
        raise click.UsageError("--devices is a number of devices of classes: name them with --class")
    write(context, context.root(), [platform.team(name, namespaces, groups, classes, devices)])


@click.command("addon", help="An add-on NAME: a chart (--chart, --version) or a folder in Git (--git, --revision).")
@click.argument("name")
@click.option("--chart", metavar="URL", help="Repository of the chart; for OCI without oci://.")
@click.option("--chart-name", help="Name of the chart. Default: NAME.")
@click.option("--version", help="Version of the chart.")
@click.option("--git", metavar="URL", help="Git repository.")
@click.option("--path", default="", help="Folder in the repository. Default: its root.")
@click.option("--revision", help="Branch, tag or commit.")
@click.option("--namespace", "-n", default="", help="Namespace that it goes to. Default: NAME.")
@click.option(
    "--label", "labels", multiple=True, callback=pairs, metavar="KEY=VALUE", help="Label of the clusters that get it; repeatable."
)
@click.pass_obj
def addon(
    context: Context, name: str, chart: str | None, chart_name: str | None, version: str | None, git: str | None, path: str,
    revision: str | None, namespace: str, labels: dict[str, str],
) -> None:  # fmt: skip
    """Writes fleet/add-ons/NAME.yaml."""
    if bool(chart) == bool(git) or (chart and not version) or (git and not revision):
        raise click.UsageError("either --chart and --version, or --git and --revision")
    if chart:
        source = {"repoURL": chart, "name": chart_name or name, "version": str(version)}
    else:
        source = (
            {"repoURL": str(git), "path": path, "revision": str(revision)} if path else {"repoURL": str(git), "revision": str(revision)}
        )
    write(context, context.root(), [platform.add_on(name, source, namespace, labels)])


COMMANDS = {"addon": addon, "class": class_, "cluster": cluster, "gateway": gateway_, "team": team}
