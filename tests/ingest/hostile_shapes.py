"""Inputs that make a naive parser slow: nested, wide and long ones of any size."""

from collections.abc import Callable

Made = Callable[[int], str]  # returns a text of about this many characters
PRIVATE = (
    "a@b.co ", "4111 1111 1111 1111 ", "DE89 3704 0044 0532 0130 00 ", "202-456-1414 ", "219-09-9999 ", "1.2.3.4 ",
    "sk-abcdefghijklmnopqrst1 ", "password=abc123def ",
)  # fmt: skip
ALMOST = (
    "a@", ".a-", "1 ", "1.", "1:", "://a:", "-----BEGIN PRIVATE KEY-----", "eyJaaaaaaaa.", "bearer ", "A1 ",
    "<email:abcdefghijkl> ", '"user.id":"',
)  # fmt: skip
BROKEN = ('"', "\\", '\\"', "[", '{"a":', '[{"', '{"', " ", "\n", "{},", "[],", '{"content":"x"},', '"messages":')
ODD = ("\u0300\u0327", "é", "\U0001d4b3", "-0613", ":1", "/a", "\u0661", "\\u0040")


def repeated(unit: str, before: str = "") -> Made:
    return lambda size: before + unit * (size // len(unit))


def closed(opening: str, closing: str, inside: str = "1") -> Made:
    """Return a function for complete nested values. A parser should read each bracket once."""

    def made(size: int) -> str:
        depth = size // (len(opening) + len(closing))
        return opening * depth + inside + closing * depth

    return made


def wide(one: str, opening: str, closing: str) -> Made:
    """Return a function for many small values; `N` is replaced by the number of each."""
    return lambda size: opening + ",".join(one.replace("N", str(i)) for i in range(size // len(one))) + closing


TEXTS: dict[str, Made] = {
    **{f"many {unit!r}": repeated(unit) for unit in (*PRIVATE, *ALMOST, *BROKEN, *ODD)},
    **{f"a list of many {unit!r}": repeated(unit, "[") for unit in BROKEN},
    **{f"a cut object of many {unit!r}": repeated(unit, '{"messages": [') for unit in BROKEN},
    "lists in lists": closed("[", "]"),
    "maps in maps": closed('{"a":', "}"),
    "messages in messages": closed('[{"role":"user","content":', "}]", '"x"'),
    "many messages": wide('{"role":"user","content":"N"}', "[", "]"),
    "many keys": wide('"kN":N', "{", "}"),
    "many tool calls": wide('{"id":"N","function":{"name":"f","arguments":"{}"}}', '[{"tool_calls":[', "]}]"),
    "many private texts": wide('"aN@b.co"', "[", "]"),
}


def nested_anyvalue(kind: str, depth: int) -> str:
    """Return JSON of an OTLP value. `kvlistValue` once took twice the time for every level."""
    opening, closing = {
        "arrayValue": ('{"arrayValue":{"values":[', "]}}"),
        "kvlistValue": ('{"kvlistValue":{"values":[{"key":"k","value":', "}]}}"),
    }[kind]
    return opening * depth + '{"stringValue":"deep"}' + closing * depth
