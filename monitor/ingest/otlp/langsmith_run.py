"""Convert a run that LangSmith's clients post to a span with the names of LangSmith's OpenTelemetry export.

The convention `langsmith` reads both. The span id is the second half of the run's UUID: UUIDs of version 7 from the
same process and millisecond have the same first half.
"""

import json
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from uuid import UUID

from monitor.errors import MalformedRecord
from monitor.ingest.conventions import langsmith
from monitor.ingest.spans import OtlpLog, OtlpSpan, SpanEvent

EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
EXCEPTION_NAME: Final = re.compile(r"([A-Za-z_][\w.]{0,200})\(")  # the start of the `repr` of an exception
DOTTED_ORDER: Final = re.compile(r"(\d{8})T(\d{6})(\d{6})Z[0-9a-fA-F-]{36}$")  # the last step of a `dotted_order`
MODEL: Final = ("model", "model_name", "model_id")
PARAMETERS: Final[Mapping[str, tuple[str, ...]]] = {
    "gen_ai.request.temperature": ("temperature",),
    "gen_ai.request.top_p": ("top_p",),
    "gen_ai.request.max_tokens": ("max_tokens", "max_completion_tokens", "max_output_tokens"),
    "gen_ai.request.seed": ("seed",),
    langsmith.STREAMING: ("stream",),
}
Run = Mapping[str, Any]


def span_id_of(run: UUID) -> str:
    return run.hex[16:]


def record_of(run: Run) -> OtlpSpan | OtlpLog | None:
    """Return a finished run as a span, the input of a started call as an event, and None for other runs.

    Raise MalformedRecord when an id cannot be read.
    """
    id_, kind, ended_ns = _id(run, "id"), run.get("run_type"), _ns(run.get("end_time"))
    if ended_ns is None:
        return _start_event(run, id_) if kind in langsmith.CALLS and run.get("inputs") is not None else None
    if kind is None:
        raise MalformedRecord(
            f"run {id_} ends without a 'run_type'; send it with the update, because driftd keeps no unfinished runs"
        )
    started_ns = _start_ns(run)
    parent = _uuid(run, "parent_run_id")
    error = run.get("error")
    return OtlpSpan(
        trace_id=_trace(run, id_).hex,
        span_id=span_id_of(id_),
        parent_span_id=span_id_of(parent) if parent is not None else None,
        name=str(run.get("name") or ""),
        start_ns=started_ns,
        end_ns=ended_ns,
        attributes=_attributes(run),
        events=(*_events(run.get("events")), *([_exception_event(str(error), ended_ns)] if error else ())),
        failed=bool(error),
        resource=_resource(run),
    )


def _start_event(run: Run, id_: UUID) -> OtlpLog:
    return OtlpLog(
        trace_id=_trace(run, id_).hex,
        span_id=span_id_of(id_),
        event_name=langsmith.RUN_STARTED,
        time_ns=_start_ns(run),
        attributes={langsmith.KIND: run["run_type"], langsmith.INPUTS: _text(run["inputs"])},
        body=None,
        resource=_resource(run),
    )


def _resource(run: Run) -> dict[str, Any]:
    """Return a resource with the project as the service name."""
    project = run.get("session_name")
    return {"service.name": project} if isinstance(project, str) and project else {}


def _attributes(run: Run) -> dict[str, Any]:
    extra, inputs, outputs = (_object(run.get(name)) for name in ("extra", "inputs", "outputs"))
    metadata = _object(extra.get("metadata"))
    params = _object(extra.get("invocation_params")) or _object(metadata.get("ls_invocation_params"))
    found: dict[str, Any] = {
        langsmith.KIND: run.get("run_type"),
        "langsmith.trace.name": run.get("name"),
        "langsmith.span.tags": run.get("tags") or None,
        "gen_ai.request.model": next((s[key] for s in (params, inputs) for key in MODEL if s.get(key)), None),
        langsmith.USAGE: _usage(outputs, metadata),
        "gen_ai.response.id": _response_id(outputs),
    }
    for name, keys in PARAMETERS.items():
        found[name] = next((s[key] for s in (params, inputs) for key in keys if s.get(key) is not None), None)
    found |= {f"{langsmith.METADATA}{key}": value for key, value in metadata.items() if key not in DROPPED}
    found[langsmith.INPUTS] = run.get("inputs")
    if any(value is not None for value in outputs.values()) or not isinstance(run.get("outputs"), Mapping):
        found[langsmith.OUTPUTS] = run.get("outputs")  # a function that raised has null as its output
    return {
        name: _text(value) if isinstance(value, list | dict) else value
        for name, value in found.items()
        if value is not None
    }


DROPPED: Final = frozenset(["invocation_params", "ls_invocation_params", "usage_metadata"])  # stored under other names


def _usage(outputs: Run, metadata: Run) -> Any:
    """Return the usage of the answer, of the LangChain message in it, or from the metadata."""
    candidates = [holder.get("usage_metadata") for holder in (outputs, *_messages(outputs), metadata)]
    return next((usage for usage in candidates if isinstance(usage, Mapping)), None)


def _response_id(outputs: Run) -> Any:
    """Return the response id. The own id of a LangChain message is the run's id."""
    for holder in (outputs, *(_object(message.get("response_metadata")) for message in _messages(outputs))):
        if holder.get("id"):
            return holder["id"]
    return None


def _messages(outputs: Run) -> Iterator[Run]:
    """Yield the messages of LangChain's `generations`: their fields or their constructor arguments."""
    found = outputs.get("generations")
    while isinstance(found, list) and found:
        found = found[0]
    message = _object(_object(found).get("message"))
    if message:
        yield _object(message.get("kwargs")) or message


def _events(events: Any) -> tuple[SpanEvent, ...]:
    """Return the events with a readable time; they show when the first token arrived."""
    listed = [event for event in events if isinstance(event, Mapping)] if isinstance(events, list) else []
    timed = [(str(event.get("name")), _ns(event.get("time"))) for event in listed]
    return tuple(SpanEvent(name=name, time_ns=at, attributes={}) for name, at in timed if at is not None)


def _exception_event(error: str, at_ns: int) -> SpanEvent:
    attributes = {"exception.message": error}
    if (named := EXCEPTION_NAME.match(error)) is not None:
        attributes["exception.type"] = named[1]
    return SpanEvent(name="exception", time_ns=at_ns, attributes=attributes)


def _trace(run: Run, id_: UUID) -> UUID:
    """Return the trace id; a run without parent and trace id is the root of its trace."""
    trace = _uuid(run, "trace_id")
    if trace is None and run.get("parent_run_id") is not None:
        raise MalformedRecord("field 'trace_id' is missing")
    return trace or id_


def _id(run: Run, field: str) -> UUID:
    if (found := _uuid(run, field)) is None:
        raise MalformedRecord(f"field {field!r} is missing")
    return found


def _uuid(run: Run, field: str) -> UUID | None:
    found = run.get(field)
    try:
        return None if found is None else UUID(found)
    except (ValueError, AttributeError, TypeError):
        raise MalformedRecord(f"field {field!r} is not a UUID") from None


def _start_ns(run: Run) -> int:
    """Return the start time. An update may lack it; then `dotted_order` has it."""
    if (found := _ns(run.get("start_time"))) is not None:
        return found
    ordered = DOTTED_ORDER.search(str(run.get("dotted_order") or "")[-80:])
    at = _ns("{}T{}.{}".format(*ordered.groups())) if ordered is not None else None
    if at is None:
        raise MalformedRecord("field 'start_time' is not a time, and 'dotted_order' has none")
    return at


def _ns(found: Any) -> int | None:
    """Return nanoseconds from ISO 8601 (UTC without an offset) or milliseconds since 1970."""
    if isinstance(found, str):
        try:
            at = datetime.fromisoformat(found)
        except ValueError:
            return None
        at = at if at.tzinfo else at.replace(tzinfo=UTC)
        return (at - EPOCH) // timedelta(microseconds=1) * 1000
    if isinstance(found, int | float) and not isinstance(found, bool) and 0 < found < 1e15:
        return int(found * 1_000_000)
    return None


def _object(found: Any) -> Run:
    return found if isinstance(found, Mapping) else {}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
