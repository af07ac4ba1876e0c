"""Send the calls of a model and the corrections of users to driftd. Copy this file into your application.

It needs opentelemetry-sdk and opentelemetry-exporter-otlp-proto-http. It never blocks the application and never raises
into it. Queues are bounded, and background threads send. Records that do not fit or cannot be sent are dropped and
counted.
"""

import json
import queue
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.trace import Span, Status, StatusCode

BATCH = 100  # corrections in one request
PAUSE_S = 1.0  # before a retry; doubled each time, up to 30 s


class Driftd:
    """A client for one process. Create it after a fork. `deployment` is the name in driftd's configuration."""

    def __init__(
        self,
        deployment: str,
        *,
        otlp: str = "http://127.0.0.1:4318",
        api: str = "http://127.0.0.1:8400",
        token: str | None = None,
        capture_content: bool = True,
        max_queued: int = 2048,
        timeout_s: float = 5.0,
    ) -> None:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        exporter = OTLPSpanExporter(endpoint=f"{otlp.rstrip('/')}/v1/traces", headers=headers, timeout=timeout_s)
        resource = Resource.create({"service.name": deployment, "driftd.deployment": deployment})
        self._spans = _CountingProcessor(exporter, max_queued)
        self._provider = TracerProvider(resource=resource, shutdown_on_exit=False)
        self._provider.add_span_processor(self._spans)
        self._tracer = self._provider.get_tracer("driftd_client")
        self._feedback = _FeedbackSender(f"{api.rstrip('/')}/api/v1/feedback", headers, max_queued, timeout_s)
        self._deployment = deployment
        self._capture_content = capture_content

    @property
    def dropped(self) -> dict[str, int]:
        """How many calls and corrections were dropped."""
        return {"calls": self._spans.dropped, "corrections": self._feedback.dropped}

    @contextmanager
    def call(
        self,
        *,
        model: str,
        messages: Sequence[Mapping[str, str]],
        provider: str = "openai",
        prompt: tuple[str, str] | None = None,
        category: str | None = None,
        conversation_id: str | None = None,
    ) -> Iterator["Call"]:
        """Record one call of the model. An error of the call is recorded and raised again.

        `prompt` is the id and the version of the template; `category` is the subject of the question.
        """
        attributes = {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": provider,
            "gen_ai.request.model": model,
            "gen_ai.conversation.id": conversation_id,
            "driftd.prompt.id": prompt and prompt[0],
            "driftd.prompt.version": prompt and prompt[1],
            "driftd.category": category,
            **(_inputs(messages) if self._capture_content else {}),
        }
        # The message of an exception may quote the user, so only its class is sent.
        with self._tracer.start_as_current_span(
            f"chat {model}", attributes=_present(attributes), record_exception=False, set_status_on_exception=False
        ) as span:
            try:
                yield Call(span, capture_content=self._capture_content)
            except BaseException as error:
                span.set_attribute("error.type", type(error).__name__)
                span.set_status(Status(StatusCode.ERROR))
                raise

    def correct(
        self,
        *,
        response_id: str | None = None,
        trace_id: str | None = None,
        expected: str | None = None,
        comment: str | None = None,
        failure_category: str | None = None,
    ) -> None:
        """Record a user's correction: the answer was wrong, optionally with the right one. Returns at once."""
        record = {
            "type": "feedback",
            "id": str(uuid.uuid4()),  # a repeated record counts once
            "deployment": self._deployment,
            "response_id": response_id,
            "trace_id": trace_id,
            "at": datetime.now(UTC).isoformat(),
            "kind": "thumb",
            "value": -1,
            "expected": expected,
            "comment": comment,
            "failure_category": failure_category,
            "source": "user",
        }
        self._feedback.put(_present(record))

    def flush(self, timeout_s: float = 10.0) -> bool:
        """Wait until everything is sent. Only for the end of a script. Return False on a timeout."""
        deadline = time.monotonic() + timeout_s
        sent = _finishes_in(timeout_s, self._spans.force_flush)
        return self._feedback.wait(deadline - time.monotonic()) and sent

    def close(self, timeout_s: float = 5.0) -> None:
        """Send queued records for at most `timeout_s` seconds; drop the rest."""
        deadline = time.monotonic() + timeout_s
        _finishes_in(timeout_s, self._spans.shutdown)
        self._feedback.wait(deadline - time.monotonic())
        self._spans.closed = self._feedback.closed = True


class Call:
    """One call of the model in progress. Corrections can refer to its `trace_id`."""

    def __init__(self, span: Span, *, capture_content: bool) -> None:
        self._span = span
        self._capture_content = capture_content
        self.trace_id = f"{span.get_span_context().trace_id:032x}"

    def set_answer(
        self,
        text: str,
        *,
        model: str,
        response_id: str | None = None,
        finish_reason: str = "stop",
        system_fingerprint: str | None = None,
        input_tokens: int | None = None,
        output_tokens: int | None = None,
    ) -> None:
        """Record the answer. `model` is the name in the answer, which may differ from the requested model."""
        attributes = {
            "gen_ai.response.model": model,
            "gen_ai.response.id": response_id,
            "gen_ai.response.finish_reasons": [finish_reason],
            "openai.response.system_fingerprint": system_fingerprint,
            "gen_ai.usage.input_tokens": input_tokens,
            "gen_ai.usage.output_tokens": output_tokens,
        }
        if self._capture_content:
            answer = {**_message("assistant", text), "finish_reason": finish_reason}
            attributes["gen_ai.output.messages"] = json.dumps([answer])
        self._span.set_attributes(_present(attributes))


def _present(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _inputs(messages: Sequence[Mapping[str, str]]) -> dict[str, str]:
    chat = [_message(m.get("role", "user"), m.get("content")) for m in messages]
    system = [part for message in chat if message["role"] == "system" for part in message["parts"]]
    others = [message for message in chat if message["role"] != "system"]
    found = {"gen_ai.input.messages": json.dumps(others)}
    return found | {"gen_ai.system_instructions": json.dumps(system)} if system else found


def _message(role: str, text: object) -> dict[str, Any]:
    return {"role": role, "parts": [{"type": "text", "content": str(text)}]}


def _finishes_in(timeout_s: float, work: Callable[[], object]) -> bool:
    """Return whether `work` finished in time; otherwise it continues in the background."""
    thread = threading.Thread(target=work, name="driftd-client", daemon=True)
    thread.start()
    thread.join(timeout_s)
    return not thread.is_alive()


class _CountingProcessor(BatchSpanProcessor):
    """A span processor with at most `max_queued` spans that counts rejected and lost ones."""

    def __init__(self, exporter: SpanExporter, max_queued: int) -> None:
        self._lock = threading.Lock()  # protects the two counts
        self._queued = self._lost = 0
        self._max_queued = max_queued
        self.closed = False
        batch = min(256, max_queued)
        counting = _CountingExporter(exporter, self._on_exported)
        super().__init__(counting, max_queue_size=max_queued, max_export_batch_size=batch, schedule_delay_millis=1000)

    @property
    def dropped(self) -> int:
        return self._lost + (self._queued if self.closed else 0)

    def on_end(self, span: ReadableSpan) -> None:
        if span.context is None or not span.context.trace_flags.sampled:
            return
        with self._lock:
            if self.closed or self._queued >= self._max_queued:
                self._lost += 1
                return
            self._queued += 1
        super().on_end(span)

    def _on_exported(self, spans: int, lost: int) -> None:
        with self._lock:
            self._queued -= spans
            self._lost += lost


class _CountingExporter(SpanExporter):
    """Calls `on_exported` with the number of exported spans and of lost ones among them."""

    def __init__(self, inner: SpanExporter, on_exported: Callable[[int, int], None]) -> None:
        self._inner, self._on_exported = inner, on_exported

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        result = SpanExportResult.FAILURE
        try:
            result = self._inner.export(spans)
        finally:
            self._on_exported(len(spans), 0 if result is SpanExportResult.SUCCESS else len(spans))
        return result

    def shutdown(self) -> None:
        self._inner.shutdown()


class _FeedbackSender:
    """Posts corrections in batches from a background thread, with retries while driftd is unavailable."""

    def __init__(self, url: str, headers: Mapping[str, str], max_queued: int, timeout_s: float) -> None:
        self._url, self._timeout_s = url, timeout_s
        self._headers = {"Content-Type": "application/json", **headers}
        self._queue: queue.Queue[dict[str, Any]] = queue.Queue(max_queued)
        self._changed = threading.Condition()  # protects the two counts
        self._unsent = self._lost = 0
        self.closed = False
        threading.Thread(target=self._run, name="driftd-client-feedback", daemon=True).start()

    @property
    def dropped(self) -> int:
        return self._lost + (self._unsent if self.closed else 0)

    def put(self, record: dict[str, Any]) -> None:
        with self._changed:
            if self.closed or self._queue.full():
                self._lost += 1
                return
            self._unsent += 1
            self._queue.put_nowait(record)

    def wait(self, timeout_s: float) -> bool:
        with self._changed:
            return self._changed.wait_for(lambda: self._unsent == 0, max(0.0, timeout_s))

    def _run(self) -> None:
        while not self.closed:
            batch = [self._queue.get()]
            with suppress(queue.Empty):
                while len(batch) < BATCH:
                    batch.append(self._queue.get_nowait())
            lost = self._send(batch)
            with self._changed:
                self._unsent -= len(batch)
                self._lost += lost
                self._changed.notify_all()

    def _send(self, batch: list[dict[str, Any]]) -> int:
        """Return how many records of the batch driftd rejected. Retry while driftd is unavailable."""
        body, pause_s = json.dumps(batch, default=str).encode(), PAUSE_S
        while True:
            try:
                request = Request(self._url, body, self._headers)  # noqa: S310 - your own address
                with urlopen(request, timeout=self._timeout_s) as answer:  # noqa: S310
                    return len(json.load(answer)["rejected"])
            except HTTPError as error:
                if error.code != 429 and error.code < 500:  # a retry would be rejected again
                    return len(batch)
            except (OSError, HTTPException, ValueError, KeyError):
                pass  # driftd is unavailable, or another server answered
            time.sleep(pause_s)
            pause_s = min(30.0, 2 * pause_s)
