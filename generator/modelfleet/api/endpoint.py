"""ModelEndpoint: a provider outside the fleet."""

import re
from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from .base import Document, Model, NamespacedMetadata, mistake
from .refs import ApiKeySecret

_HOST = r"(?P<host>[A-Za-z0-9]([-A-Za-z0-9]*[A-Za-z0-9])?(\.[A-Za-z0-9]([-A-Za-z0-9]*[A-Za-z0-9])?)*)"
_URL = re.compile(rf"(?P<scheme>https?)://{_HOST}(:(?P<port>[0-9]{{1,5}}))?(?P<path>/[^\s?#]*)?")
_IP = re.compile(r"[0-9.]+")
_SECRET = re.compile(r"@|\?")  # user:password@, ?api_key=


class EndpointApi(Model):
    """How the provider is spoken to."""

    schema_: Annotated[Literal["OpenAI", "Anthropic"], Field(alias="schema")] = "OpenAI"
    """API of the provider; callers of the other one are translated where that exists. Default: OpenAI."""
    prefix: Annotated[str, StringConstraints(max_length=256, pattern=r"^/[^\s?#]*$")] = "/v1"
    """Path before the operation. Default: /v1."""


class EndpointKey(Model):
    """An API key."""

    secret_ref: ApiKeySecret
    """Secret that holds it."""


class Credential(Model):
    """What the provider asks for."""

    method: Literal["APIKey"] = "APIKey"
    """APIKey: a key in the header that the API wants. Default: APIKey."""
    api_key: EndpointKey
    """The key."""


class ModelEndpointSpec(Model):
    """A provider: by origin, or in the older form by url."""

    origin: str | None = None
    """Scheme and host name, and a port if it is not the scheme's, such as https://api.together.xyz. No path and no IP address."""
    api: EndpointApi = EndpointApi.model_construct()
    """How it is spoken to; beside origin."""
    model: Annotated[str, StringConstraints(min_length=1, max_length=253, pattern=r"^\S+$")] | None = None
    """The provider's name of the model, put into requests by model name. Default: what the caller sent."""
    credential: Credential | None = None
    """What the provider asks for. Default: nothing."""
    url: str | None = None
    """Older form: base URL of the provider."""
    rewrite_path: Annotated[str, StringConstraints(max_length=1024, pattern=r"^/[^\s?#]*$")] | None = None
    """Older form: what replaces /<namespace>/<service>/ in the path. Default: /."""

    @model_validator(mode="after")
    def _one_form(self) -> Self:
        if (self.origin is None) == (self.url is None):
            raise mistake("OneOf", "exactly one of origin and url must be set", hint="origin: https://api.example.com")
        if self.rewrite_path is not None and self.url is None:
            raise mistake("Contradiction", "rewritePath belongs to url", "rewritePath", hint="api: {prefix: /v1}")
        if self.url is not None and "api" in self.model_fields_set:
            raise mistake("Contradiction", "api belongs to origin", "api", hint="origin: https://api.example.com")
        return self

    @model_validator(mode="after")
    def _reachable(self) -> Self:
        field, value = ("origin", self.origin) if self.origin is not None else ("url", self.url or "")
        found = _URL.fullmatch(value or "")
        hint = f"{field}: https://api.example.com"
        if found is None and _SECRET.search(value or ""):
            message = "a URL holds neither user nor password nor query: a key belongs into a Secret"
            raise mistake("BadURL", message, field, hint=f"{hint}, and credential: {{apiKey: {{secretRef: {{name: ...}}}}}}")
        if found is None:
            raise mistake("BadURL", f"`{value}` is not a URL with a scheme (http or https) and a host name", field, hint=hint)
        if found["port"] and not 1 <= int(found["port"]) <= 65535:
            raise mistake("BadURL", f"`{found['port']}` is not a port", field, hint=hint)
        if field == "origin" and found["path"]:
            message = "an origin has no path; the path before the operation is api.prefix"
            raise mistake("BadURL", message, field, hint=f"origin: {value[: found.start('path')] if value else ''}")
        if field == "origin" and _IP.fullmatch(found["host"]):
            raise mistake("BadURL", "an origin needs a host name: a certificate is not checked against an address", field, hint=hint)
        if found["scheme"] == "https" and _IP.fullmatch(found["host"]):
            raise mistake("BadURL", "https needs a host name: a certificate is not checked against an address", field, hint=hint)
        return self

    @model_validator(mode="after")
    def _one_path(self) -> Self:
        base, rewritten = _plain(_parts(self.url)["path"]) if self.url else "", self._rewritten
        if base and rewritten and base != rewritten:
            message = f"the path of url sends /v1 to {base}, and rewritePath sends it to {rewritten}"
            raise mistake("Contradiction", message, "rewritePath", hint="remove rewritePath")
        return self

    @property
    def _rewritten(self) -> str:
        """What rewritePath makes of /v1, which it does not double; empty where it says nothing."""
        path = _plain(self.rewrite_path)
        return "" if not path else path if path.endswith("/v1") else f"{path}/v1"

    @property
    def scheme(self) -> str:
        """http or https."""
        return _parts(self.origin or self.url)["scheme"]

    @property
    def host(self) -> str:
        """Host name, in lower case, or with http the IPv4 address."""
        return _parts(self.origin or self.url)["host"].lower()

    @property
    def port(self) -> int:
        """The URL's port, else the scheme's."""
        return int(_parts(self.origin or self.url)["port"] or (443 if self.scheme == "https" else 80))

    @property
    def is_address(self) -> bool:
        """Whether the host is an IP address."""
        return _IP.fullmatch(self.host) is not None

    @property
    def base(self) -> str:
        """What stands upstream for the /v1 that callers send: `/v1`, `/api/openai/v1`; `/` for none."""
        if self.origin is not None:
            return _plain(self.api.prefix) or "/"
        return _plain(_parts(self.url)["path"]) or self._rewritten or "/v1"


def _parts(url: str | None) -> dict[str, str]:
    """Scheme, host, port and path of a URL that was checked; empty where there is none."""
    found = _URL.fullmatch(url or "")
    assert found is not None
    return {name: value or "" for name, value in found.groupdict().items()}


def _plain(path: str | None) -> str:
    """A path without doubled and trailing slashes; empty for the root."""
    return re.sub("/+", "/", path or "").rstrip("/")


class ModelEndpoint(Document):
    """A provider outside the fleet."""

    SCOPE: ClassVar[Literal["Model"]] = "Model"

    api_version: Literal["modelfleet.io/v1alpha1"]
    """Always modelfleet.io/v1alpha1."""
    kind: Literal["ModelEndpoint"]
    """Always ModelEndpoint."""
    metadata: NamespacedMetadata
    """Name, namespace, and labels that services select on."""
    spec: ModelEndpointSpec
    """The provider."""
