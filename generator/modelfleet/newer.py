"""What a deployment's pods hold that the Kubernetes of their cluster does not know: refused by `check` and by the plugin alike."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from . import codes
from .diagnostics import Diagnostic
from .render import versions
from .render.members import Pod
from .render.workload import Workload
from .validate import Resource


def too_new(resource: Resource, workload: Workload, members: Iterable[Pod]) -> Iterator[Diagnostic]:
    """FieldTooNew at each field of the user's templates, and of a cache that is an image. resource: the deployment's."""
    cluster = workload.cluster
    for pod in members:
        if not pod.member.template.spec:
            continue
        e, m = workload.deployment.engines.index(workload.engine), workload.engine.members.index(pod.member)
        at = ("spec", "template", "spec", "engines", e, "members", m, "template", "spec")
        for path, (major, minor) in versions.newer(pod.member.template.spec, cluster.version):
            message = f"`{path[-1]}` needs Kubernetes {major}.{minor}; cluster {cluster.name} has {cluster.spec.kubernetes_version}"
            hint = "leave it out, or declare the version that the cluster has"
            yield Diagnostic(codes.FIELD_TOO_NEW, message, resource.at(*at, *path), hint)
    if workload.cache and workload.cache.oci and cluster.version < versions.IMAGE_VOLUME:
        message = f"a cache that is an image needs Kubernetes 1.35; cluster {cluster.name} has {cluster.spec.kubernetes_version}"
        yield Diagnostic(codes.FIELD_TOO_NEW, message, resource.at("metadata", "name"), "another source, or upgrade the cluster")
