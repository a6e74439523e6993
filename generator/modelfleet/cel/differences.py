"""Where this dialect is smaller than Kubernetes': each line is a refusal when the selector is compiled, never another answer.

A device has neither times nor addresses, so the libraries for them have nothing to work on. One more difference shows only
while a selector is evaluated: lists that double themselves and texts that `replace` makes huge end with Kubernetes' error of
an exceeded cost, where Kubernetes itself, which counts less for them, would go on.
"""

from __future__ import annotations

from dataclasses import dataclass

from .errors import Refusal


@dataclass(frozen=True, slots=True)
class Difference:
    """One refusal. example: a selector that Kubernetes takes; hint: the rewording, or empty."""

    what: str
    example: str
    code: Refusal = "SelectorNotSupported"
    hint: str = ""


TIMES = "times and durations"
ADDRESSES = "URLs, IP addresses and CIDR blocks"
FORMATS = "named formats"
AUTHORIZATION = "authorization checks"
MAPS = "maps made by transformMap and transformMapEntry"
FORMAT_TEMPLATE = "format() with a template that is no literal"
FORMAT_CLAUSE = "format() with %f, %e, a precision, or a list or map as %s"
MESSAGES = "protobuf messages and their types"
LARGE = "expressions nested too deeply"
PROPORTION = "quantities of more than 4000 characters or with an exponent above 1000"

DIFFERENCES: tuple[Difference, ...] = (
    Difference(TIMES, 'duration("1h") > duration("1m")', hint="compare numbers or strings"),
    Difference(ADDRESSES, 'isIP("10.0.0.1")', hint="use matches() on the string"),
    Difference(FORMATS, 'format.dns1123Label().validate("a").hasValue() == false', hint="use matches() with the pattern"),
    Difference(AUTHORIZATION, 'device.attributes["a"].b.allowed()'),
    Difference(MAPS, '{"a": 1}.transformMap(k, v, v + 1) == {"a": 2}', hint="list the keys with map() or filter() and look the values up"),
    Difference(FORMAT_TEMPLATE, 'device.driver.format(["a"]) == device.driver', hint="write the template as a literal"),
    Difference(FORMAT_CLAUSE, '"%.1f".format([1.5]) == "1.5"', hint="use %s, %d, %x, %o or %b, or join strings with +"),
    Difference(MESSAGES, "google.protobuf.Int32Value{value: 1} == 1"),
    Difference(PROPORTION, 'quantity("1e5000").isGreaterThan(quantity("1"))'),
    Difference(LARGE, "(" * 110 + "true" + ")" * 110, "SelectorTooLarge"),
)

# Functions of Kubernetes that are refused by name.
UNSUPPORTED: dict[str, str] = (
    dict.fromkeys(
        ("timestamp", "duration", "getFullYear", "getMonth", "getDayOfYear", "getDayOfMonth", "getDate", "getDayOfWeek", "getHours",
         "getMinutes", "getSeconds", "getMilliseconds"), TIMES)
    | dict.fromkeys(
        ("url", "isURL", "getScheme", "getHost", "getHostname", "getPort", "getEscapedPath", "getQuery", "ip", "isIP", "ip.isCanonical",
         "family", "isUnspecified", "isLoopback", "isLinkLocalMulticast", "isLinkLocalUnicast", "isGlobalUnicast", "cidr", "isCIDR",
         "containsIP", "containsCIDR", "prefixLength", "masked"), ADDRESSES)
    | dict.fromkeys(
        ("path", "group", "serviceAccount", "resource", "subresource", "namespace", "name", "check", "allowed", "reason", "error",
         "errored", "fieldSelector", "labelSelector"), AUTHORIZATION)
    | dict.fromkeys(
        ("format.named", "validate", *(f"format.{name}" for name in (
            "dns1123Label", "dns1123Subdomain", "dns1035Label", "qualifiedName", "dns1123LabelPrefix", "dns1123SubdomainPrefix",
            "dns1035LabelPrefix", "labelValue", "uri", "uuid", "byte", "date", "datetime"))), FORMATS)
)  # fmt: skip


def hint_for(what: str) -> str:
    """The rewording of a difference."""
    return next((d.hint for d in DIFFERENCES if d.what == what), "")
