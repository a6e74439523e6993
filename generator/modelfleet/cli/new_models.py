"""modelfleet new deployment | service | cache"""

from __future__ import annotations

import re
from typing import Any

import click
from pydantic import ValidationError

from .. import codes, pipeline
from ..api.model_size import ModelSize
from ..catalog import model_size, model_sizes
from ..diagnostics import Location, Report, nearest
from ..resolve.fleet import Fleet
from ..scaffold import models, propose
from ..scaffold.text import q
from .context import Context
from .writing import write

_WHERE = Location("command line")
_SIZE = (("layers", "layers"), ("key_value_heads", "keyValueHeads"), ("head_dim", "headDim"), ("latent_dim", "latentDim"),
         ("attention_heads", "attentionHeads"), ("context_length", "contextLength"))  # fmt: skip


@click.command("deployment", help="A deployment of MODEL (a name of Hugging Face), sized for the fleet's hardware.")
@click.argument("model")
@click.option("--namespace", "-n", required=True, help="Namespace.")
@click.option("--name", help="Name. Default: the model's.")
@click.option("--replicas", type=click.IntRange(0, 1000), default=1, help="Replicas. Default: 1.")
@click.option("--context", "length", type=click.IntRange(1), help="Longest context in tokens. Default: what fits, at least 8192.")
@click.option("--image", default=models.IMAGE, help=f"Image of vLLM. Default: {models.IMAGE}.")
@click.option("--cache", default="", metavar="NAME", help="ModelCache that holds the model's files.")
@click.option("--weights", metavar="QUANTITY", help="Size of the weights, such as 15.3Gi. Default: known for well-known models.")
@click.option("--layers", type=click.IntRange(1), help="With --weights: num_hidden_layers of config.json.")
@click.option("--key-value-heads", type=click.IntRange(1), help="With --weights: num_key_value_heads.")
@click.option("--head-dim", type=click.IntRange(1), help="With --weights: head_dim.")
@click.option("--latent-dim", type=click.IntRange(1), help="With --weights, of latent attention: kv_lora_rank + qk_rope_head_dim.")
@click.option("--attention-heads", type=click.IntRange(1), help="With --weights: num_attention_heads.")
@click.option("--context-length", type=click.IntRange(1), help="With --weights: max_position_embeddings.")
@click.pass_obj
def deployment(
    context: Context, /, model: str, namespace: str, name: str | None, replicas: int, length: int | None, image: str, cache: str,
    weights: str | None, **shape: Any,
) -> None:  # fmt: skip
    """Writes models/NAMESPACE/NAME.yaml."""
    declared = {alias: shape[option] for option, alias in _SIZE if shape[option] is not None}
    if declared and not weights:
        raise click.UsageError("the numbers of config.json belong to --weights")
    size = _size(context, model, {"weights": weights, **declared} if weights else {})
    if length and size.context_length and length > size.context_length:
        raise click.UsageError(f"--context {length} is more than the model's own {size.context_length}")
    named = name or re.sub(r"[^a-z0-9]+", "-", model.rpartition("/")[2].lower()).strip("-")[:40].strip("-")
    flags = models.DeploymentFlags(model, named, namespace, replicas, image, size, bool(weights), cache)
    root, fleet = context.root(), _fleet(context)
    proposal = propose.propose(fleet, size, length, namespace)
    if proposal is None:
        report = Report()
        message = f"no hardware class of the fleet holds `{model}`: {propose.needs(size, length)}"
        known = [f"{name}: {_devices(fleet, name)}" for name in fleet.classes]
        report.add(codes.FITS_NOWHERE, message, _WHERE, "modelfleet new class --list", known or ["the fleet has no classes yet"])
        context.refuse_errors(report)
        return
    write(context, root, [models.deployment(flags, proposal)])


def _fleet(context: Context) -> Fleet:
    """The fleet whose hardware the model is sized for; what is wrong under models/ is not in its way."""
    report = Report()
    repository = context.read(pipeline.Slice(models=(), placements=()), report)
    context.refuse_errors(report)
    assert repository.fleet is not None
    return repository.fleet


def _devices(fleet: Fleet, name: str) -> str:
    groups = fleet.classes[name].devices
    return ", ".join(f"{group.count} x {next((c.value for c in group.capacity.values()), 'unknown memory')}" for group in groups)


def _size(context: Context, model: str, declared: dict[str, Any]) -> ModelSize:
    """The declared size, else the well-known one."""
    if declared:
        try:
            return ModelSize.model_validate(declared)
        except ValidationError as error:
            raise click.UsageError("; ".join(found["msg"] for found in error.errors(include_url=False))) from None
    found = model_size(model)
    if found is None:
        report = Report()
        near = nearest(model, model_sizes())
        hint = near if near.startswith("did") else "--weights 15.3Gi --layers 36 --key-value-heads 8 --head-dim 128, as in its config.json"
        report.add(codes.UNKNOWN_SIZE, f"the size of `{model}` is not known", _WHERE, hint)
        context.refuse_errors(report)
    assert found is not None
    return found


@click.command("service", help="A service NAME, which callers address.")
@click.argument("name")
@click.option("--namespace", "-n", required=True, help="Namespace.")
@click.option("--deployment", "deployments", multiple=True, help="A deployment that answers; repeatable.")
@click.option("--endpoint", "endpoints", multiple=True, help="An outside provider: the second tier beside deployments; repeatable.")
@click.pass_obj
def service(context: Context, name: str, namespace: str, deployments: tuple[str, ...], endpoints: tuple[str, ...]) -> None:
    """Writes models/NAMESPACE/service-NAME.yaml."""
    if not deployments and not endpoints:
        raise click.UsageError("name what answers: --deployment or --endpoint")
    write(context, context.root(), [models.service(name, namespace, deployments, endpoints)])


@click.command("cache", help="A cache NAME from --repo (Hugging Face), --s3, --gcs, --image or --claim.")
@click.argument("name")
@click.option("--namespace", "-n", required=True, help="Namespace.")
@click.option("--repo", metavar="OWNER/MODEL", help="Repository of Hugging Face.")
@click.option("--revision", default="", help="Commit of the repository; without it the files may change.")
@click.option("--s3", metavar="BUCKET", help="Bucket of S3.")
@click.option("--gcs", metavar="BUCKET", help="Bucket of Google Cloud Storage.")
@click.option("--prefix", default="", help="Folder in the bucket.")
@click.option("--image", help="Image whose files are the model.")
@click.option("--claim", help="PersistentVolumeClaim that is there on each cluster.")
@click.option(
    "--size", type=click.IntRange(1, 100_000), help="Size of the volume in GiB. Default: the weights of a well-known model, twice."
)
@click.option("--secret", default="", help="Secret with the credentials.")
@click.pass_obj
def cache(
    context: Context, name: str, namespace: str, repo: str | None, revision: str, s3: str | None, gcs: str | None, prefix: str,
    image: str | None, claim: str | None, size: int | None, secret: str,
) -> None:  # fmt: skip
    """Writes models/NAMESPACE/cache-NAME.yaml."""
    given = {"HuggingFace": repo, "S3": s3, "GCS": gcs, "OCI": image, "PersistentVolumeClaim": claim}
    chosen = [(source, value) for source, value in given.items() if value]
    if len(chosen) != 1:
        raise click.UsageError("exactly one of --repo, --s3, --gcs, --image and --claim")
    source, value = chosen[0]
    named = f"{{name: {q(secret)}}}" if secret else ""
    if source in ("OCI", "PersistentVolumeClaim"):
        fields = {"image": q(value), "pullSecret": named} if source == "OCI" else {"claimName": q(value)}
    else:
        known = model_size(value)
        room = size or (known and -(-2 * known.weight_bytes // 1024**3))
        if not room:
            raise click.UsageError("--size is needed: the files' size in GiB, and some room")
        place = (
            {"repo": q(value), "revision": q(revision) if revision else ""}
            if repo
            else {"bucket": q(value), "prefix": q(prefix) if prefix else ""}
        )
        fields = {**place, "authSecret": named, "sizeGiB": str(room)}
    write(context, context.root(), [models.cache(name, namespace, source, fields)])


COMMANDS = {"cache": cache, "deployment": deployment, "service": service}
