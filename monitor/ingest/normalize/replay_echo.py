"""Recognize spans that driftd's own replays caused, and sealed cases, and remove them from traffic."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from msgspec.structs import replace

from monitor.domain.feedback import Feedback
from monitor.domain.interaction import ChatMessage, ContentState, InheritedAttributes, Interaction, Origin, SpanContent
from monitor.ingest.conventions.texts.messages import as_text
from monitor.ingest.conventions.unread import UNREAD

RUN = "driftd.run"
# Possessive, and an unclosed literal matches to the end: backtracking from every quote would take hours.
LITERAL = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\Z)', re.DOTALL)
TRACE_ID = re.compile(r"[0-9a-fA-F]{32}")
MAX_DEPTH = 4  # JSON in a string in JSON: OTLP attributes inside a native record inside a file
STRIPPED = b'{"stripped":"this record echoes a replay or holds a sealed case"}'


class EchoFilter:
    """`known_run(trace_id)` returns the run of a trace; `sealed(text)` is true for the input of a sealed case.

    Both are called for each record, so they must be fast. Their results may change while the daemon runs.
    """

    def __init__(self, *, known_run: Callable[[str], str | None], sealed: Callable[[str], bool]) -> None:
        self._known_run = known_run
        self._sealed = sealed

    def interaction(self, item: Interaction, run: str | None = None) -> Interaction:
        """Return the interaction unchanged, or without texts and with its origin.

        `run`: the run that its trace names.
        """
        run_id = run or _run_in_attributes(item.attributes) or self._run_of(item.trace_id)
        if run_id is not None:
            return _stripped(item, Origin.REPLAY, run_id)
        if self._holds_sealed(item.input_messages) or self._unread_holds_sealed(item.attributes):
            return _stripped(item, Origin.SEALED_MATCH, None)
        return item

    def content(self, item: SpanContent, run: str | None = None) -> SpanContent | None:
        """Return the texts unchanged; None when they belong to a replay or a sealed case."""
        if run or self._run_of(item.trace_id) or self._holds_sealed(item.input_messages):
            return None
        return item

    def is_traffic(self, item: Feedback | InheritedAttributes, run: str | None = None) -> bool:
        """Return False for a record of a replay, whose text may repeat a sealed case."""
        return run is None and self._run_of(item.trace_id) is None

    def raw(self, raw: bytes, run: str | None = None) -> bytes:
        """Return the bytes of an unreadable record, or STRIPPED when it has texts of a replay or a sealed case.

        All its string literals are searched, at any depth.
        """
        if run or any(
            self._identifies_replay(literal) for literal in _literals(raw.decode("utf-8", "replace"), MAX_DEPTH)
        ):
            return STRIPPED
        return raw

    def _identifies_replay(self, literal: str) -> bool:
        if literal == RUN:
            return True
        return (TRACE_ID.fullmatch(literal) is not None and self._run_of(literal) is not None) or self._sealed(literal)

    def _run_of(self, trace_id: str | None) -> str | None:
        return self._known_run(trace_id.lower()) if trace_id else None

    def _holds_sealed(self, messages: Iterable[ChatMessage]) -> bool:
        return any(self._sealed(m.content) for m in messages if m.role == "user")

    def _unread_holds_sealed(self, attributes: Mapping[str, Any]) -> bool:
        """Search unread values for sealed cases, as in an unreadable record."""
        return any(self._contains_sealed(attributes.get(name)) for name in attributes.get(UNREAD, ()))

    def _contains_sealed(self, value: Any) -> bool:
        text = as_text(value)
        return self._sealed(text) or any(map(self._sealed, _literals(text, MAX_DEPTH)))


def _run_in_attributes(attributes: Mapping[str, object]) -> str | None:
    found = attributes.get(RUN)
    return str(found) if found else None


def _stripped(item: Interaction, origin: Origin, run_id: str | None) -> Interaction:
    return replace(
        item,
        origin=origin,
        run_id=run_id,
        system_prompt=None,
        input_messages=(),
        output_messages=(),
        documents=(),
        content_state=ContentState.REDACTED,
        attributes={RUN: run_id} if run_id else {},
    )


def _literals(text: str, depth: int) -> Iterator[str]:
    """Yield every string in complete or truncated JSON, and the strings of JSON inside those."""
    for found in LITERAL.finditer(text):
        try:
            literal = json.loads(found.group(), strict=False)
        except ValueError:
            continue
        yield literal
        if depth > 1 and '"' in literal:
            yield from _literals(literal, depth - 1)
