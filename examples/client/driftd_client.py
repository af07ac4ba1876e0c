"""Tells driftd what a model answered and what users corrected. Copy this file into your application.

It needs opentelemetry-sdk and opentelemetry-exporter-otlp-proto-http. It never blocks the application and never raises
into it: queues are bounded, sending happens on background threads, and what does not fit or cannot be sent is dropped
and counted.
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

BATCH = 100  # corrections sent at once
PAUSE_S = 1.0  # after a batch that could not be sent; doubled each time, at most 30 s


class Driftd:
    """One for each process, made after a fork. `deployment` is its name in driftd's configuration."""

    def __init__(
        self,
        deployment: str,
        *,
        otlp: str = "http://127.0.0.1:4318",
        api: str = "http://127.0.0.1:8400",
        token: str | None = None,
        capture_content: bool = True,
        max_waiting: int = 2048,
        timeout_s: float = 5.0,
    ) -> None:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        exporter = OTLPSpanExporter(endpoint=f"{otlp.rstrip('/')}/v1/traces", headers=headers, timeout=timeout_s)
        resource = Resource.create({"service.name": deployment, "driftd.deployment": deployment})
        self._spans = _CountingProcessor(exporter, max_waiting)
        self._provider = TracerProvider(resource=resource, shutdown_on_exit=False)
        self._provider.add_span_processor(self._spans)
        self._tracer = self._provider.get_tracer("driftd_client")
        self._feedback = _FeedbackSender(f"{api.rstrip('/')}/api/v1/feedback", headers, max_waiting, timeout_s)
        self._deployment = deployment
        self._capture_content = capture_content

    @property
    def dropped(self) -> dict[str, int]:
        """How many calls and corrections driftd will never hear of."""
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
        """Stands around one call of the model; an error of the call is recorded and goes on to the application.

        `prompt` is id and version of the template, `category` what the question is about.
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
        # The message of an exception may quote the user: its class alone is told.
        with self._tracer.start_as_current_span(
            f"chat {model}", attributes=_known(attributes), record_exception=False, set_status_on_exception=False
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
        """A user says that an answer was wrong, and perhaps what was right. Returns at once."""
        record = {
            "type": "feedback",
            "id": str(uuid.uuid4()),  # sent twice, it is counted once
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
        self._feedback.put(_known(record))

    def flush(self, timeout_s: float = 10.0) -> bool:
        """Wait until everything is sent: for the end of a script, never for a request. False when it is not."""
        deadline = time.monotonic() + timeout_s
        sent = _within(timeout_s, self._spans.force_flush)
        return self._feedback.wait(deadline - time.monotonic()) and sent

    def close(self, timeout_s: float = 5.0) -> None:
        """Send what is left, for so long at most; the rest is dropped."""
        deadline = time.monotonic() + timeout_s
        _within(timeout_s, self._spans.shutdown)
        self._feedback.wait(deadline - time.monotonic())
        self._spans.closed = self._feedback.closed = True


class Call:
    """One call of the model while it is made. `trace_id` is a key that corrections can name."""

    def __init__(self, span: Span, *, capture_content: bool) -> None:
        self._span = span
        self._capture_content = capture_content
        self.trace_id = f"{span.get_span_context().trace_id:032x}"

    def answered(
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
        """What came back; `model` is the name that the answer gives, which may differ from what was asked for."""
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
        self._span.set_attributes(_known(attributes))


def _known(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _inputs(messages: Sequence[Mapping[str, str]]) -> dict[str, str]:
    asked = [_message(m.get("role", "user"), m.get("content")) for m in messages]
    system = [part for message in asked if message["role"] == "system" for part in message["parts"]]
    others = [message for message in asked if message["role"] != "system"]
    found = {"gen_ai.input.messages": json.dumps(others)}
    return found | {"gen_ai.system_instructions": json.dumps(system)} if system else found


def _message(role: str, text: object) -> dict[str, Any]:
    return {"role": role, "parts": [{"type": "text", "content": str(text)}]}


def _within(timeout_s: float, work: Callable[[], object]) -> bool:
    """Whether `work` was done in time; it goes on behind the application's back when it was not."""
    thread = threading.Thread(target=work, name="driftd-client", daemon=True)
    thread.start()
    thread.join(timeout_s)
    return not thread.is_alive()


class _CountingProcessor(BatchSpanProcessor):
    """Batches spans; takes no more than `max_waiting`, and counts what it refuses and what could not be sent."""

    def __init__(self, exporter: SpanExporter, max_waiting: int) -> None:
        self._lock = threading.Lock()  # protects the two counts
        self._waiting = self._lost = 0
        self._max_waiting = max_waiting
        self.closed = False
        batch = min(256, max_waiting)
        counting = _CountingExporter(exporter, self._left)
        super().__init__(counting, max_queue_size=max_waiting, max_export_batch_size=batch, schedule_delay_millis=1000)

    @property
    def dropped(self) -> int:
        return self._lost + (self._waiting if self.closed else 0)

    def on_end(self, span: ReadableSpan) -> None:
        if span.context is None or not span.context.trace_flags.sampled:
            return
        with self._lock:
            if self.closed or self._waiting >= self._max_waiting:
                self._lost += 1
                return
            self._waiting += 1
        super().on_end(span)

    def _left(self, spans: int, lost: int) -> None:
        with self._lock:
            self._waiting -= spans
            self._lost += lost


class _CountingExporter(SpanExporter):
    """Tells `left` how many spans were taken from the queue, and how many of them were lost."""

    def __init__(self, inner: SpanExporter, left: Callable[[int, int], None]) -> None:
        self._inner, self._left = inner, left

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        result = SpanExportResult.FAILURE
        try:
            result = self._inner.export(spans)
        finally:
            self._left(len(spans), 0 if result is SpanExportResult.SUCCESS else len(spans))
        return result

    def shutdown(self) -> None:
        self._inner.shutdown()


class _FeedbackSender:
    """Posts corrections in batches from a thread of its own, again and again while driftd is away."""

    def __init__(self, url: str, headers: Mapping[str, str], max_waiting: int, timeout_s: float) -> None:
        self._url, self._timeout_s = url, timeout_s
        self._headers = {"Content-Type": "application/json", **headers}
        self._queue: queue.Queue[dict[str, Any]] = queue.Queue(max_waiting)
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
        """How many of the batch driftd did not want; it is sent again while driftd is away."""
        body, pause_s = json.dumps(batch, default=str).encode(), PAUSE_S
        while True:
            try:
                request = Request(self._url, body, self._headers)  # noqa: S310 - your own address
                with urlopen(request, timeout=self._timeout_s) as answer:  # noqa: S310
                    return len(json.load(answer)["rejected"])
            except HTTPError as error:
                if error.code != 429 and error.code < 500:  # sent again, it would be refused again
                    return len(batch)
            except (OSError, HTTPException, ValueError, KeyError):
                pass  # nobody there, or something else answered
            time.sleep(pause_s)
            pause_s = min(30.0, 2 * pause_s)
