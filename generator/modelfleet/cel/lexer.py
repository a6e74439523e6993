"""Tokens of CEL, as cel-go's grammar has them, and the values of its literals."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from .errors import Refused
from .values import Uint, Value

Kind = Literal["ident", "int", "uint", "float", "string", "bytes", "op"]

_ESCAPE = r"\\(?:[abfnrtv\"'\\?`]|[0-3][0-7][0-7]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})"
_STRING = (
    rf'[rR]"""(?s:.)*?"""|[rR]\'\'\'(?s:.)*?\'\'\'|[rR]"[^"\n\r]*"|[rR]\'[^\'\n\r]*\''
    rf'|"""(?:{_ESCAPE}|[^\\])*?"""|\'\'\'(?:{_ESCAPE}|[^\\])*?\'\'\''
    rf'|"(?:{_ESCAPE}|[^\\"\n\r])*"|\'(?:{_ESCAPE}|[^\\\'\n\r])*\''
)
_TOKEN = re.compile(
    r"(?P<space>[\t \r\n\f]+|//[^\n]*)"
    r"|(?P<float>[0-9]+\.[0-9]+(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+|\.[0-9]+(?:[eE][+-]?[0-9]+)?)"
    r"|(?P<uint>0x[0-9a-fA-F]+[uU]|[0-9]+[uU])"
    r"|(?P<int>0x[0-9a-fA-F]+|[0-9]+)"
    rf"|(?P<bytes>[bB](?:{_STRING}))"
    rf"|(?P<string>{_STRING})"
    r"|(?P<ident>[A-Za-z_][A-Za-z0-9_]*)"
    r"|(?P<op>==|!=|<=|>=|&&|\|\||[\[\]{}().,\-!?:+*/%<>])"
)
_SIMPLE = dict(zip("abfnrtv\"'\\?`", "\a\b\f\n\r\t\v\"'\\?`", strict=True))
_ESCAPED = re.compile(r"\\(?:([abfnrtv\"'\\?`])|([0-3][0-7][0-7])|[xX]([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8}))")


@dataclass(frozen=True, slots=True)
class Token:
    """A token and where it starts in the expression."""

    kind: Kind
    text: str
    start: int


def tokens(expression: str) -> Iterator[Token]:
    """The tokens without white space and comments; Refused (SelectorSyntax) at the first character that starts none."""
    position = 0
    while position < len(expression):
        found = _TOKEN.match(expression, position)
        if found is None:
            raise Refused("SelectorSyntax", f"`{expression[position]}` cannot stand here", position, _quote_hint(expression[position]))
        kind = found.lastgroup
        if kind != "space":
            yield Token(kind, found[0], position)  # type: ignore[arg-type]
        position = found.end()


def _quote_hint(char: str) -> str:
    if char in "\"'":
        return "close the string with the same quote; a backslash needs to be doubled"
    return {"=": "write == to compare", "&": "write && for and", "|": "write || for or"}.get(char, "")


def literal(token: Token, negative: bool = False) -> Value:
    """The value of a literal token; Refused when it is out of range or escapes a character that does not exist."""
    text = token.text
    if token.kind == "int":
        return _integer(token, text, -1 if negative else 1, -(2**63), 2**63 - 1)
    if token.kind == "uint":
        return Uint(_integer(token, text[:-1], 1, 0, 2**64 - 1))
    if token.kind == "float":
        number = float(text)
        if number == float("inf"):
            raise Refused("SelectorSyntax", "invalid double literal", token.start)
        return -number if negative else number
    if token.kind == "bytes":
        return _unescaped_bytes(_body(text[1:]))
    return _unescaped(token, _body(text))


def _integer(token: Token, digits: str, sign: int, low: int, high: int) -> int:
    number = sign * int(digits, 16 if digits.startswith("0x") else 10)
    if not low <= number <= high:
        raise Refused("SelectorSyntax", f"`{token.text}` does not fit into 64 bits", token.start)
    return number


def _body(text: str) -> tuple[str, bool]:
    """(characters between the quotes, whether they are raw); line ends become newlines, as in Kubernetes."""
    raw = text[0] in "rR"
    text = text[1:] if raw else text
    quotes = 3 if len(text) >= 6 and text[:3] in ('"""', "'''") else 1
    return text[quotes:-quotes].replace("\r\n", "\n").replace("\r", "\n"), raw


def _code(found: re.Match[str]) -> int:
    octal, *hexes = found.groups()[1:]
    return int(octal, 8) if octal else int(next(h for h in hexes if h), 16)


def _unescaped(token: Token, body: tuple[str, bool]) -> str:
    def character(found: re.Match[str]) -> str:
        if found[1]:
            return _SIMPLE[found[1]]
        code = _code(found)
        if code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:
            raise Refused("SelectorSyntax", "invalid unicode code point", token.start)
        return chr(code)

    text, raw = body
    return text if raw else _ESCAPED.sub(character, text)


def _unescaped_bytes(body: tuple[str, bool]) -> bytes:
    text, raw = body
    if raw:
        return text.encode()
    out, end = bytearray(), 0
    for found in _ESCAPED.finditer(text):
        out += text[end : found.start()].encode()
        if found[4] or found[5]:
            raise Refused("SelectorSyntax", "a bytes literal takes no \\u escape", 0)
        out += _SIMPLE[found[1]].encode() if found[1] else bytes([_code(found)])
        end = found.end()
    return bytes(out + text[end:].encode())
