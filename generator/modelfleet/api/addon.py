"""AddOn: one thing that clusters get besides the stack, from a chart, a Git repository or the catalog."""

from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from .base import DnsLabel, Document, Metadata, Model, NonEmpty, Selector, mistake
from .templates import is_template, problem

RepoUrl = Annotated[str, StringConstraints(min_length=1, max_length=1024, pattern=r"^[^\s]+$"), Field(alias="repoURL")]


class Chart(Model):
    """A Helm chart."""

    repo_url: RepoUrl
    """Repository of the chart; for OCI without oci://, as Argo CD has it."""
    name: NonEmpty
    """Name of the chart."""
    version: NonEmpty
    """Version of the chart; a range would make two commits of one."""


class GitSource(Model):
    """Manifests in a Git repository."""

    repo_url: RepoUrl
    """URL of the repository."""
    path: Annotated[str, StringConstraints(min_length=1, pattern=r"^[^/\s]\S*$")] = "."
    """Folder in the repository. Default: its root."""
    revision: NonEmpty
    """Branch, tag or commit."""


class AddOnSpec(Model):
    """What the clusters get."""

    cluster_selector: Selector = Selector.model_construct()
    """Clusters that get it. Default: all."""
    chart: Chart | None = None
    """From a Helm chart."""
    git: GitSource | None = None
    """From a Git repository."""
    catalog: DnsLabel | None = None
    """From the catalog, by name."""
    namespace: DnsLabel | None = None
    """Namespace that it goes to. Default: its name."""
    values: dict[str, Any] = {}
    """Values of the chart. Strings may hold {{ cluster.name }}, {{ cluster.labels["key"] }} and {{ fleet.name }}."""
    wave: Annotated[int, Field(ge=-100, le=100)] = 0
    """Order within the cluster's stack, lower first. Default: 0."""

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        if sum(source is not None for source in (self.chart, self.git, self.catalog)) != 1:
            raise mistake(
                "OneOf", "exactly one of chart, git and catalog must be set", hint="chart: {repoURL: ..., name: ..., version: ...}"
            )
        if self.git and self.values:
            raise mistake("Contradiction", "values belong to a chart; a Git source has none", "values", hint="remove values")
        return self

    @model_validator(mode="after")
    def _templates(self) -> Self:
        for path, text in strings(self.values):
            if is_template(text) and (found := problem(text)):
                raise mistake(
                    "BadTemplate", found, "values", *path, hint='{{ cluster.name }}, {{ cluster.labels["key"] }}, {{ fleet.name }}'
                )
        return self


def strings(value: Any, path: tuple[str | int, ...] = ()) -> list[tuple[tuple[str | int, ...], str]]:
    """Every string in `value` with its path."""
    if isinstance(value, str):
        return [(path, value)]
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [found for key, item in items for found in strings(item, (*path, key))]


class AddOnMetadata(Metadata):
    """Metadata of an add-on."""

    name: Annotated[DnsLabel, Field(max_length=53)]
    """Name of the add-on: a DNS label of at most 53 characters, as Helm wants a release's."""


class AddOn(Document):
    """One thing that clusters get."""

    SCOPE: ClassVar[Literal["Platform"]] = "Platform"

    api_version: Literal["modelfleet.io/v1alpha1"]
    """Always modelfleet.io/v1alpha1."""
    kind: Literal["AddOn"]
    """Always AddOn."""
    metadata: AddOnMetadata
    """Name."""
    spec: AddOnSpec
    """What the clusters get."""
