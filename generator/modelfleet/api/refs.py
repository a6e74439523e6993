"""References to objects that users make themselves: Secrets, ConfigMaps, classes of storage. No value of a Secret is ever read."""

from typing import Annotated

from pydantic import StringConstraints

from .base import DnsSubdomain, Model, SecretKey

Version = Annotated[str, StringConstraints(pattern=r"^v?1\.[0-9]{1,3}(\.[0-9]+)?([-+].*)?$")]


class SecretName(Model):
    """A Secret by name."""

    name: DnsSubdomain
    """Name of the Secret."""


class ConfigMapName(Model):
    """A ConfigMap by name."""

    name: DnsSubdomain
    """Name of the ConfigMap."""


class TokenSecret(Model):
    """A Secret that holds a token of Hugging Face."""

    name: DnsSubdomain
    """Name of the Secret, in the namespace of the cache."""
    key: SecretKey = "HF_TOKEN"
    """Key of the Secret that holds the token. Default: HF_TOKEN."""


class ApiKeySecret(Model):
    """A Secret that holds a provider's API key."""

    name: DnsSubdomain
    """Name of the Secret, in the namespace of the endpoint."""
    key: SecretKey = "apiKey"
    """Key of the Secret that holds the API key. Default: apiKey."""


class StorageClassName(Model):
    """A storage class by name."""

    storage_class_name: DnsSubdomain | None = None
    """StorageClass whose volumes many nodes can mount (ReadWriteMany). Default: none, and no cache is staged here."""
