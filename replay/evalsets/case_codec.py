"""A case as a JSON object and back.

    {"id": "prime-0", "input": "Is 17077 a prime number?", "reference": "yes",
     "category": "prime", "severity": "medium", "provenance": "authored"}

`input` is a text (one user message) or a list of {"role", "content"}; `references` (a list) or `reference` (one text)
are the answers that count as right; the last three have defaults. `must_include` and `must_not` (lists of texts) and
`ideal` (a text) may be there: they are written only when they say something, so that a case without them keeps its
hash. Messages of errors name the place and the field and
never quote what an input or a reference says: the set may be private.
"""

import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any, get_args

from replay.errors import CaseError
from replay.types import UNCATEGORISED, Case, Message, Role, Severity

FIELDS = (
    "id", "input", "references", "reference", "must_include", "must_not", "ideal", "category", "severity", "provenance",
)  # fmt: skip
ROLES: tuple[Role, ...] = get_args(Role)
ID_MAX_CHARACTERS = 200
_KINDS: Mapping[type, str] = {
    type(None): "null",
    bool: "a truth value",
    int: "a number",
    float: "a number",
    str: "a text",
    list: "a list",
    dict: "an object",
}


def case_to_json(case: Case) -> dict[str, Any]:
    """Every field in its one spelling: `input` as messages, `references` as a list."""
    expected = {"must_include": list(case.must_include), "must_not": list(case.must_not), "ideal": case.ideal}
    return {
        "id": case.id,
        "input": [{"role": message.role, "content": message.content} for message in case.input],
        "references": list(case.references),
        **{field: value for field, value in expected.items() if value},
        "category": case.category,
        "severity": case.severity.value,
        "provenance": case.provenance,
    }


def case_from_json(obj: Any, where: str) -> Case:
    """The case an object describes, its texts in NFC. `where` ("primes.jsonl line 3") opens a CaseError's message."""
    record = _object(obj, where, FIELDS)
    return Case(
        id=_id(record, where),
        input=_input(record, where),
        references=_references(record, where),
        must_include=_texts(record, "must_include", where),
        must_not=_texts(record, "must_not", where),
        ideal=_ideal(record, where),
        category=_name(record, "category", UNCATEGORISED, where),
        severity=_severity(record, where),
        provenance=_name(record, "provenance", "authored", where),
    )


def cases_from_json(objects: Iterable[Any], source: str) -> list[Case]:
    """The cases of a list of objects; the first that is none, or repeats an id, raises CaseError with its position."""
    return unique_cases((f"{source} case {index}", obj) for index, obj in enumerate(objects, start=1))


def unique_cases(placed: Iterable[tuple[str, Any]]) -> list[Case]:
    """The cases of (place, object) pairs in their order; an id that comes twice raises CaseError naming both places."""
    places: dict[str, str] = {}
    cases = []
    for where, obj in placed:
        case = case_from_json(obj, where)
        if case.id in places:
            raise CaseError(f"{where}: id {case.id!r} is already that of {places[case.id]}; give each case its own id")
        places[case.id] = where
        cases.append(case)
    return cases


def _object(obj: Any, where: str, known: tuple[str, ...]) -> Mapping[str, Any]:
    if not isinstance(obj, Mapping):
        raise CaseError(f"{where}: expected a JSON object, found {_kind(obj)}")
    unknown = sorted(str(key) for key in obj if key not in known)
    if unknown:
        raise CaseError(f"{where}: field {unknown[0]!r} is unknown; known: {', '.join(known)}")
    return obj


def _id(record: Mapping[str, Any], where: str) -> str:
    if "id" not in record:
        raise CaseError(f"{where}: field 'id' is missing; give each case a stable text of its own")
    text = _text(record["id"], "id", where)
    if not text or text != text.strip() or not text.isprintable() or len(text) > ID_MAX_CHARACTERS:
        raise CaseError(
            f"{where}: field 'id' must be 1 to {ID_MAX_CHARACTERS} printable characters without spaces at its ends"
        )
    return text


def _input(record: Mapping[str, Any], where: str) -> tuple[Message, ...]:
    given = record.get("input")
    if isinstance(given, str):
        messages: tuple[Message, ...] = (Message(role="user", content=_text(given, "input", where)),)
    elif isinstance(given, list):
        messages = tuple(_message(item, f"{where}: field 'input', message {n}") for n, item in enumerate(given, 1))
    else:
        found = _kind(given) if "input" in record else "nothing"
        raise CaseError(f"{where}: field 'input' must be a text or a list of messages, found {found}")
    if not any(message.role == "user" and message.content.strip() for message in messages):
        raise CaseError(f"{where}: field 'input' asks nothing; it needs a user message with a text")
    return messages


def _message(obj: Any, where: str) -> Message:
    record = _object(obj, where, ("role", "content"))
    role = next((known for known in ROLES if known == record.get("role")), None)
    if role is None:
        raise CaseError(f"{where}: field 'role' must be one of {', '.join(ROLES)}")
    return Message(role=role, content=_text(record.get("content"), "content", where))


def _references(record: Mapping[str, Any], where: str) -> tuple[str, ...]:
    if "reference" in record and "references" in record:
        raise CaseError(f"{where}: fields 'reference' and 'references' are both given; keep 'references'")
    if "reference" in record:
        return (_text(record["reference"], "reference", where),)
    return _texts(record, "references", where)


def _texts(record: Mapping[str, Any], field: str, where: str) -> tuple[str, ...]:
    given = record.get(field, [])
    if not isinstance(given, list):
        raise CaseError(f"{where}: field {field!r} must be a list of texts, found {_kind(given)}")
    return tuple(_text(item, field, where) for item in given)


def _ideal(record: Mapping[str, Any], where: str) -> str | None:
    return _text(record["ideal"], "ideal", where) or None if "ideal" in record else None


def _name(record: Mapping[str, Any], field: str, default: str, where: str) -> str:
    name = _text(record.get(field, default), field, where).strip()
    if not name or not name.isprintable():
        raise CaseError(f"{where}: field {field!r} must be a printable text; leave it out for {default!r}")
    return name


def _severity(record: Mapping[str, Any], where: str) -> Severity:
    given = _text(record.get("severity", Severity.MEDIUM.value), "severity", where)
    if given not in list(Severity):
        raise CaseError(f"{where}: field 'severity' is {given[:40]!r}; it must be one of {', '.join(Severity)}")
    return Severity(given)


def _text(value: Any, field: str, where: str) -> str:
    if not isinstance(value, str):
        raise CaseError(f"{where}: field {field!r} must be a text, found {_kind(value)}")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise CaseError(f"{where}: field {field!r} holds half a surrogate pair, which is no character") from None
    return unicodedata.normalize("NFC", value)


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    names = {
        bool: "a truth value",
        int: "a number",
        float: "a number",
        str: "a text",
        list: "a list",
        dict: "an object",
    }
    return names.get(type(value), type(value).__name__)
