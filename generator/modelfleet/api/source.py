"""Where a cluster comes from: it exists, or a cloud makes it. Blocks and defaults are Modelplane's."""

from typing import Annotated, Literal, Self

from pydantic import StringConstraints, model_validator

from .base import DnsSubdomain, Model, SecretKey, mistake
from .refs import StorageClassName, Version

Region = Annotated[str, StringConstraints(min_length=1, max_length=32)]
BLOCKS = {"Existing": "existing", "GKE": "gke", "EKS": "eks", "AKS": "aks", "Nebius": "nebius", "Vultr": "vultr", "Civo": "civo"}


class Credentials(Model):
    """The cloud credentials that make a cluster."""

    type: Literal["ProviderConfig", "ClusterProviderConfig"] = "ClusterProviderConfig"
    """Kind of the object that names the credentials. Default: ClusterProviderConfig."""
    name: DnsSubdomain = "default"
    """Its name. Default: default."""


class KubeconfigSecret(Model):
    """A Secret that holds a kubeconfig."""

    name: DnsSubdomain
    """Name of the Secret."""
    key: SecretKey = "kubeconfig"
    """Key that holds the kubeconfig. Default: kubeconfig."""


class IdentitySecret(Model):
    """A Secret that holds a cloud identity."""

    name: DnsSubdomain
    """Name of the Secret."""
    key: SecretKey = "private_key"
    """Key that holds the credentials. Default: private_key."""
    type: Literal["GoogleApplicationCredentials", "AWSWebIdentityCredentials", "NebiusServiceAccountCredentials"] = (
        "GoogleApplicationCredentials"
    )
    """Form of the credentials. Default: GoogleApplicationCredentials."""


class Existing(Model):
    """A cluster that is there. Argo CD holds the credentials, so the references are read and not needed."""

    secret_ref: KubeconfigSecret | None = None
    """Kubeconfig of the cluster; not needed here."""
    identity_secret_ref: IdentitySecret | None = None
    """Cloud identity that the kubeconfig needs; not needed here."""
    cache: StorageClassName = StorageClassName.model_construct()
    """Storage class of caches; the same as spec.cache."""
    components: Literal["Install", "Provided"] = "Install"
    """Install: the stack is installed. Provided: all of it is someone else's. Default: Install."""


class Gke(Model):
    """A cluster of GKE."""

    region: Region
    """Region such as us-central1."""
    kubernetes_version: Version = "1.35"
    """Kubernetes version. Default: 1.35."""
    credentials: Credentials = Credentials.model_construct()
    """Credentials that make it."""


class Eks(Model):
    """A cluster of EKS."""

    region: Region
    """Region such as us-west-2."""
    kubernetes_version: Version = "1.36"
    """Kubernetes version. Default: 1.36."""
    credentials: Credentials = Credentials.model_construct()
    """Credentials that make it."""


class Aks(Model):
    """A cluster of AKS."""

    location: Region
    """Location such as westeurope."""
    kubernetes_version: Version = "1.34"
    """Kubernetes version. Default: 1.34."""
    credentials: Credentials = Credentials.model_construct()
    """Credentials that make it."""


class Nebius(Model):
    """A cluster of Nebius; project and region come with the credentials."""

    kubernetes_version: Version = "1.34"
    """Kubernetes version. Default: 1.34."""
    credentials: Credentials = Credentials.model_construct()
    """Credentials that make it."""


class Vultr(Model):
    """A cluster of Vultr."""

    region: Region
    """Region such as ewr."""
    kubernetes_version: Version = "v1.36.1+3"
    """Kubernetes version. Default: v1.36.1+3."""
    credentials: Credentials = Credentials.model_construct()
    """Credentials that make it."""


class Civo(Model):
    """A cluster of Civo."""

    region: Region | None = None
    """Region such as lon1."""
    kubernetes_version: Version | None = None
    """Kubernetes version. Default: the cloud's."""
    credentials: Credentials = Credentials.model_construct()
    """Credentials that make it."""


class Source(Model):
    """Where the cluster comes from."""

    source: Literal["Existing", "GKE", "EKS", "AKS", "Nebius", "Vultr", "Civo"] = "Existing"
    """Existing: it is there. The others name the cloud that makes it, and the block of the same name is required. Default: Existing."""
    existing: Existing | None = None
    """A cluster that is there."""
    gke: Gke | None = None
    """GKE."""
    eks: Eks | None = None
    """EKS."""
    aks: Aks | None = None
    """AKS."""
    nebius: Nebius | None = None
    """Nebius."""
    vultr: Vultr | None = None
    """Vultr."""
    civo: Civo | None = None
    """Civo."""

    @model_validator(mode="after")
    def _own_block(self) -> Self:
        block = BLOCKS[self.source]
        if self.source != "Existing" and getattr(self, block) is None:
            message = f"spec.cluster.{block} is required when spec.cluster.source is {self.source}"
            raise mistake("MissingField", message, hint=f"add `{block}:`")
        return self
