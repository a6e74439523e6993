"""Services, front doors and providers: what callers reach."""

from __future__ import annotations

from .define import error, warning

TOO_MANY_SHARES = error(
    "TooManyShares",
    "A service has more than 16 shares at a front door: clusters and providers that answer it.",
    "A route holds 16 backends; a second route of the same path would hide the first instead of adding to it.",
    "Let the deployment stand on fewer clusters, or divide the service in two.",
    "endpoints: [{deployment: chat}]  # recorded on 17 clusters",
)
SHARES_LEFT_OUT = warning(
    "SharesLeftOut",
    "Retiring shares of a service are left out of its route, because it has more than 16.",
    "Their replicas have successors, but what they still run is idle.",
    "Drop them: modelfleet place --finish.",
    "retiring: true, replaced: 2",
)
NOTHING_ANSWERS = warning(
    "NothingAnswers",
    "A service has nothing that answers just now: its targets are suspended, out of reach, or have no replica.",
    "Callers get 503 until one is back.",
    "See the reasons; add a second tier that answers meanwhile.",
    "suspend: true",
)
NO_FRONT_DOOR = warning(
    "NoFrontDoor",
    "No InferenceGateway serves a service.",
    "Callers have no URL for it.",
    "Declare an InferenceGateway, or make its serviceSelector match the service's labels.",
    "serviceSelector: {matchLabels: {door: overflow}}",
)
NO_REGION = warning(
    "NoRegion",
    "A service prefers targets in the front door's region, and the cluster of the front door names none.",
    "All targets are equally near.",
    "Set location.region of the cluster.",
    "locality: PreferRegion",
)
SAME_HOSTNAME = warning(
    "SameHostname",
    "Two gateways have one host name and port.",
    "Requests that are meant for one arrive at the other, which answers 503, unless something before them tells them apart.",
    "Give each gateway a name of its own.",
    "gateway: {hostname: a.example.com}  # in two clusters",
)
KEYS_IN_CLEAR = warning(
    "KeysInClear",
    "An API key travels without TLS: a front door asks for keys on an HTTP listener, or a provider with a key is called by http.",
    "Whoever stands on the way can read the key, and call in its owner's name.",
    "Set tls of the front door and listen with HTTPS alone; call the provider by https.",
    "spec: {auth: {apiKey: {secretRefs: [{name: callers}]}}}  # and no tls",
)
KEYS_BY_SELECTOR = warning(
    "KeysBySelector",
    "The API keys of a front door are selected by labels of Secrets.",
    "Secrets are not in Git, so nothing can tell which these are; the front door reads the Secret modelfleet-callers.",
    "Name the Secrets: secretRefs.",
    "apiKey: {secretSelector: {matchLabels: {callers: a}}}",
)
PROVIDER_MODEL = warning(
    "ProviderModel",
    "A service is called by path, and a provider in it does not say which model it serves.",
    "A request goes to it with the model name that callers send to the deployments; by path nobody changes it.",
    "Set spec.model of the endpoint to what the provider calls the model, and serving.modelName of the deployments to the same.",
    "kind: ModelEndpoint, spec: {origin: https://api.example.com}",
)
PROVIDER_ADDRESS = error(
    "ProviderAddress",
    "A provider is known by an IP address alone, in a service that is routed by model name.",
    "Beside backends with host names it would take its share of healthy traffic from every tier.",
    "Give it a host name, or route the service by path alone.",
    "url: http://10.0.0.7:9000",
)
NO_TRANSLATION = warning(
    "NoTranslation",
    "A service is called by path, and a provider in it speaks Anthropic's API.",
    "By path nothing is translated: callers of /v1/chat/completions get an error from it.",
    "Let callers use /v1/messages, or route by model name.",
    "api: {schema: Anthropic}",
)
