"""A client of one Kubernetes API server: what `kubectl` and Argo CD send, and nothing in between that could repair it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import urllib3
import yaml

MANAGER = "argocd-controller"  # Argo CD's own name: field ownership is then the one a user sees
TIMEOUT = 60.0  # seconds

Object = dict[str, Any]


class Rejected(Exception):
    """The API server refused a request: the HTTP status and the message of its Status."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(f"{status}: {message}")
        self.status = status
        self.message = message


@dataclass(frozen=True, slots=True)
class Resource:
    """How a kind is addressed."""

    plural: str
    namespaced: bool


@dataclass(frozen=True, slots=True)
class Applied:
    """What server-side apply did: the object now stored (or, in a dry run, that would be), the server's warnings, whether a reader
    sees a difference from the one before, and whether it was written (its resourceVersion is another one)."""

    object: Object
    warnings: tuple[str, ...]
    changed: bool
    written: bool


class Client:
    """Reads and writes objects of one API server."""

    def __init__(self, server: str, authority: Path, token: str) -> None:
        self._server = server
        credentials = {"Authorization": f"Bearer {token}"}
        # Eight connections are kept, so that a test may write from as many threads.
        self._pool = urllib3.PoolManager(ca_certs=str(authority), headers=credentials, retries=False, maxsize=8)
        self._kinds: dict[str, dict[str, Resource]] = {}

    def close(self) -> None:
        self._pool.clear()

    def apply(self, manifest: Mapping[str, Any] | str, *, dry_run: bool = False) -> Applied:
        """Server-side apply of one object with strict field validation, as Argo CD's sync does it.

        A text is sent as it is, so that the server reads the same bytes that were written.
        """
        text = manifest if isinstance(manifest, str) else json.dumps(manifest)
        wanted: Mapping[str, Any] = yaml.load(manifest, yaml.CSafeLoader) if isinstance(manifest, str) else manifest
        metadata = wanted["metadata"]
        path = self._path(wanted["apiVersion"], wanted["kind"], metadata["name"], metadata.get("namespace", ""))
        before = self._read(path)
        query = {"fieldManager": MANAGER, "force": "true", "fieldValidation": "Strict"} | ({"dryRun": "All"} if dry_run else {})
        response = self._request("PATCH", path, fields=query, body=text, content_type="application/apply-patch+yaml")
        after = response.json()
        return Applied(
            object=after,
            warnings=tuple(response.headers.getlist("Warning")),
            changed=before is None or _content(before) != _content(after),
            written=not dry_run and (before is None or before["metadata"]["resourceVersion"] != after["metadata"]["resourceVersion"]),
        )

    def create(self, api_version: str, kind: str, text: str, namespace: str = "") -> Object:
        """Creates an object from YAML that is sent as it is; `namespace` for a kind that is in one."""
        path = self._collection(api_version, kind, namespace)
        created: Object = self._request("POST", path, body=text, content_type="application/yaml").json()
        return created

    def get(self, api_version: str, kind: str, name: str, namespace: str = "") -> Object | None:
        """The stored object, None when there is none."""
        return self._read(self._path(api_version, kind, name, namespace))

    def list(self, api_version: str, kind: str, namespace: str = "") -> tuple[Object, ...]:
        """The objects of a kind in a namespace; in all of them when none is named."""
        found: Object = self._request("GET", self._collection(api_version, kind, namespace)).json()
        return tuple(found["items"])

    def patch(self, api_version: str, kind: str, name: str, change: Mapping[str, Any], namespace: str = "") -> None:
        """A merge patch, as `kubectl annotate` and `kubectl scale` send it; what is gone meanwhile is left so."""
        path = self._path(api_version, kind, name, namespace)
        try:
            self._request("PATCH", path, body=json.dumps(change), content_type="application/merge-patch+json")
        except Rejected as rejected:
            if rejected.status != 404:
                raise

    def delete(self, api_version: str, kind: str, name: str, namespace: str = "") -> None:
        """Requests the deletion; an object with finalizers may stay for a while."""
        self._request("DELETE", self._path(api_version, kind, name, namespace))

    def state(self, api_version: str, kind: str, name: str, namespace: str, status: Mapping[str, Any]) -> None:
        """Writes the status of an object, as a kubelet or a controller does."""
        path = f"{self._path(api_version, kind, name, namespace)}/status"
        self._request("PATCH", path, body=json.dumps({"status": status}), content_type="application/merge-patch+json")

    def token(self, account: str, namespace: str) -> str:
        """A token of a ServiceAccount, as its pods get one."""
        path = f"{self._path('v1', 'ServiceAccount', account, namespace)}/token"
        wanted = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}
        answer = self._request("POST", path, body=json.dumps(wanted), content_type="application/json")
        return str(answer.json()["status"]["token"])

    def ready(self) -> bool:
        """Whether the server answers and calls itself ready."""
        try:
            return self._pool.request("GET", f"{self._server}/readyz", timeout=TIMEOUT).status == 200
        except urllib3.exceptions.HTTPError:
            return False

    def resource(self, api_version: str, kind: str) -> Resource:
        """How the server addresses a kind, from its discovery."""
        if kind not in self._kinds.get(api_version, {}):
            # Asked again for a kind not seen so far: its CRD may be new.
            self._kinds[api_version] = self._discover(api_version)
        found = self._kinds[api_version].get(kind)
        if found is None:
            raise Rejected(404, f"the server does not serve {api_version} {kind}")
        return found

    def serves(self, api_version: str, kind: str) -> bool:
        """Whether objects of a kind can be read by now."""
        try:
            self.list(api_version, kind)
        except Rejected as rejected:
            if rejected.status in (404, 429, 503):
                return False
            raise
        return True

    def _discover(self, api_version: str) -> dict[str, Resource]:
        document = self._read(_root(api_version)) or {"resources": []}
        served = document["resources"]
        return {entry["kind"]: Resource(entry["name"], entry["namespaced"]) for entry in served if "/" not in entry["name"]}

    def _collection(self, api_version: str, kind: str, namespace: str) -> str:
        resource = self.resource(api_version, kind)
        scope = f"/namespaces/{namespace}" if resource.namespaced and namespace else ""
        return f"{_root(api_version)}{scope}/{resource.plural}"

    def _path(self, api_version: str, kind: str, name: str, namespace: str) -> str:
        if self.resource(api_version, kind).namespaced and not namespace:
            raise Rejected(400, f"{kind} {name} names no namespace")
        if namespace and not self.resource(api_version, kind).namespaced:
            raise Rejected(400, f"{kind} {name} names a namespace and can be in none")
        return f"{self._collection(api_version, kind, namespace)}/{name}"

    def _read(self, path: str) -> Object | None:
        try:
            found: Object = self._request("GET", path).json()
        except Rejected as rejected:
            if rejected.status == 404:
                return None
            raise
        return found

    def _request(
        self, method: str, path: str, *, fields: Mapping[str, str] | None = None, body: str | None = None, content_type: str = ""
    ) -> urllib3.BaseHTTPResponse:
        query = "?" + "&".join(f"{key}={value}" for key, value in fields.items()) if fields else ""
        headers = dict(self._pool.headers) | ({"Content-Type": content_type} if content_type else {})
        encoded = None if body is None else body.encode()
        response = self._pool.request(method, f"{self._server}{path}{query}", body=encoded, headers=headers, timeout=TIMEOUT)
        if response.status >= 400:
            raise Rejected(response.status, _message(response))
        return response


def _root(api_version: str) -> str:
    return f"/apis/{api_version}" if "/" in api_version else f"/api/{api_version}"


def _message(response: urllib3.BaseHTTPResponse) -> str:
    try:
        return str(response.json()["message"])
    except (ValueError, KeyError, TypeError):
        return response.data.decode(errors="replace")


def _content(stored: Object) -> object:
    """All that says what an object is, who owns which field of it, and how often its spec changed."""
    metadata = {key: value for key, value in stored["metadata"].items() if key != "resourceVersion"}
    # A time alone is no change: the server keeps the old one when nothing else differs.
    metadata["managedFields"] = [entry | {"time": ""} for entry in metadata.get("managedFields", ())]
    return stored | {"metadata": metadata}
