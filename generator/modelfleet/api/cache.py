"""ModelCache: a model's files, staged on the clusters where deployments use them."""

from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from .base import DnsLabel, DnsSubdomain, Document, ImageName, Model, NamespacedMetadata, NonEmpty, Selector, mistake
from .refs import SecretName, TokenSecret

SizeGiB = Annotated[int, Field(ge=1, le=100_000, alias="sizeGiB")]
Bucket = Annotated[str, StringConstraints(min_length=3, max_length=222, pattern=r"^[a-z0-9][-a-z0-9._]*[a-z0-9]$")]
RelativePath = Annotated[str, StringConstraints(max_length=1024, pattern=r"^[^/\s].*$")]
SOURCES = {"HuggingFace": "hugging_face", "S3": "s3", "GCS": "gcs", "OCI": "oci", "PersistentVolumeClaim": "persistent_volume_claim"}


class HuggingFaceSource(Model):
    """A repository of Hugging Face."""

    repo: Annotated[str, StringConstraints(min_length=1, max_length=256, pattern=r"^[^\s]+$")]
    """Repository such as Qwen/Qwen3-8B."""
    revision: NonEmpty | None = None
    """Branch, tag or commit. Default: the repository's default branch."""
    auth_secret: TokenSecret | None = None
    """Token for gated repositories. Default: none."""
    size_gib: SizeGiB
    """Size of the volume in GiB, 1 to 100000."""


class S3Source(Model):
    """Objects of an S3 bucket."""

    bucket: Bucket
    """Bucket."""
    prefix: RelativePath | None = None
    """Folder in the bucket. Default: the whole bucket."""
    region: NonEmpty | None = None
    """Region of the bucket. Default: the environment's."""
    endpoint: Annotated[str, StringConstraints(pattern=r"^https?://[^\s@]+$")] | None = None
    """URL of an S3 service other than Amazon's."""
    auth_secret: SecretName | None = None
    """Secret with AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY. Default: the identity of the node or pod."""
    size_gib: SizeGiB
    """Size of the volume in GiB, 1 to 100000."""


class GcsSource(Model):
    """Objects of a Google Cloud Storage bucket."""

    bucket: Bucket
    """Bucket."""
    prefix: RelativePath | None = None
    """Folder in the bucket. Default: the whole bucket."""
    auth_secret: SecretName | None = None
    """Secret with a service account key under key.json. Default: the identity of the node or pod."""
    size_gib: SizeGiB
    """Size of the volume in GiB, 1 to 100000."""


class OciSource(Model):
    """An image or artifact whose files are the model, mounted as an image volume."""

    image: ImageName
    """Reference of the image; with a digest it never changes."""
    pull_secret: SecretName | None = None
    """Secret for the registry. Default: none."""


class VolumeClaimSource(Model):
    """A claim that is there already, filled by someone else."""

    claim_name: DnsSubdomain
    """Name of the PersistentVolumeClaim, the same on every cluster."""
    sub_path: RelativePath | None = None
    """Folder in the volume. Default: all of it."""


class ModelCacheSpec(Model):
    """What is staged and where."""

    source: Literal["HuggingFace", "S3", "GCS", "OCI", "PersistentVolumeClaim"]
    """Where the files come from; the block of the same name is required."""
    hugging_face: HuggingFaceSource | None = None
    """A repository of Hugging Face."""
    s3: S3Source | None = None
    """Objects of an S3 bucket."""
    gcs: GcsSource | None = None
    """Objects of a Google Cloud Storage bucket."""
    oci: OciSource | None = None
    """An image whose files are the model."""
    persistent_volume_claim: VolumeClaimSource | None = None
    """A claim that is there already."""
    cluster_selector: Selector | None = None
    """Clusters that may hold it; deployments that use it go only there. Default: every cluster."""

    @model_validator(mode="after")
    def _own_block(self) -> Self:
        names = {field: type(self).model_fields[field].alias or field for field in SOURCES.values()}
        block = SOURCES[self.source]
        if getattr(self, block) is None:
            message = f"spec.{names[block]} is required when spec.source is {self.source}"
            raise mistake("MissingField", message, hint=f"add `{names[block]}:`")
        for field, name in names.items():
            if field != block and getattr(self, field) is not None:
                raise mistake("Contradiction", f"spec.{name} has no meaning when spec.source is {self.source}", name, hint=f"remove {name}")
        return self


class CacheMetadata(NamespacedMetadata):
    """Metadata of a cache."""

    name: DnsLabel
    """Name: a DNS label. Names of claims and jobs derive from it."""


class ModelCache(Document):
    """A model's files on the clusters."""

    SCOPE: ClassVar[Literal["Model"]] = "Model"

    api_version: Literal["modelfleet.io/v1alpha1"]
    """Always modelfleet.io/v1alpha1."""
    kind: Literal["ModelCache"]
    """Always ModelCache."""
    metadata: CacheMetadata
    """Name and namespace."""
    spec: ModelCacheSpec
    """What is staged and where."""
