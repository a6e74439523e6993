"""ConfigMap: small files that engines mount, such as chat templates. Kubernetes' own kind."""

import base64
from typing import ClassVar, Literal, Self

from pydantic import model_validator

from .base import ARGO_CD, OWN_KEYS, DnsSubdomain, Document, NamespacedMetadata, SecretKey, mistake, reserved

LIMIT = 1024 * 1024  # bytes of all values, Kubernetes' limit


class ConfigMapMetadata(NamespacedMetadata):
    """Metadata of a ConfigMap."""

    name: DnsSubdomain
    """Name of the object."""

    @model_validator(mode="after")
    def _own_keys(self) -> Self:
        reserved("labels", self.labels, *OWN_KEYS)
        reserved("annotations", self.annotations, *OWN_KEYS, ARGO_CD)
        return self


class ConfigMap(Document):
    """A ConfigMap. It goes to every cluster where a deployment that mounts it is placed."""

    SCOPE: ClassVar[Literal["Model"]] = "Model"

    api_version: Literal["v1"]
    """Always v1."""
    kind: Literal["ConfigMap"]
    """Always ConfigMap."""
    metadata: ConfigMapMetadata
    """Name and namespace."""
    data: dict[SecretKey, str] = {}
    """Files by name, as text."""
    binary_data: dict[SecretKey, str] = {}
    """Files by name, in base64."""
    immutable: bool = False
    """true: the cluster refuses changes. Default: false."""

    @model_validator(mode="after")
    def _files(self) -> Self:
        for key, text in self.binary_data.items():
            if key in self.data:
                raise mistake("DuplicateItem", f"`{key}` stands in data and in binaryData", "binaryData", key, hint="remove one")
            try:
                base64.b64decode(text, validate=True)
            except ValueError:  # binascii.Error is one; a letter beyond ASCII is another
                raise mistake("BadValue", f"`{key}` is not base64", "binaryData", key, hint="base64 -w0 FILE") from None
        size = sum(len(text.encode()) for text in (*self.data.values(), *self.binary_data.values()))
        if size > LIMIT:
            raise mistake(
                "TooMany", f"all values together have {size} bytes; a ConfigMap holds {LIMIT}", hint="use a ModelCache for large files"
            )
        return self
