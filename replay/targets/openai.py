"""A model behind an OpenAI-compatible `/chat/completions`, asked with the deployed prompt and parameters."""

import asyncio
import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

import httpx

from replay.errors import CallError, TargetError
from replay.targets.base import CallContext
from replay.targets.connection import Connection
from replay.targets.failure import ErrorClass, failure_of_status
from replay.targets.openai_reply import listed_models, read_reply
from replay.targets.prompt import prompt_hash
from replay.types import Case, Reply, TargetConditions


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenAISettings:
    """How to call what is deployed. None leaves a parameter to the endpoint's own default.

    `system_prompt` goes before the messages of every case. A cost is counted when both prices are there.
    """

    base_url: str
    model: str
    api_key: str | None = field(default=None, repr=False)
    system_prompt: str | None = field(default=None, repr=False)
    prompt_id: str | None = None
    prompt_version: str | None = None
    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    seed: int | None = None
    timeout_s: float = 60.0
    input_usd_per_mtok: float | None = None
    output_usd_per_mtok: float | None = None
    concurrency: int = 16


class OpenAITarget:
    """One call in, one reply out; retrying is the runner's business."""

    def __init__(
        self,
        settings: OpenAISettings,
        *,
        monotonic: Callable[[], float] = time.perf_counter,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._url = _endpoint(settings.base_url)
        self._headers = {"content-type": "application/json", **_authorization(settings)}
        self._settings = settings
        self._fixed = _fixed_parameters(settings)
        self._monotonic = monotonic
        self._now = now  # the machine's own time: it is compared with the server's
        # Waiting for a slot happens here, outside the measured call, never inside the connection pool.
        self._slots = asyncio.Semaphore(settings.concurrency)
        self._connection = Connection(connections=settings.concurrency, timeout_s=settings.timeout_s)
        self.conditions = _conditions(settings)

    async def call(self, case: Case, sample: int, context: CallContext) -> Reply:
        """Ask once. Raises CallError of a class in ErrorClass; no message ever holds the key."""
        headers = {**self._headers, **context.headers(), "x-driftd-sample": str(sample)}
        body = json.dumps({**self._fixed, "messages": self._messages(case)}).encode()
        async with self._slots:
            sent_at = self._monotonic()
            response = await self._connection.send("POST", self._url, headers, body)
            latency_ms = (self._monotonic() - sent_at) * 1000
        if response.status_code != httpx.codes.OK:
            raise self._refusal(response)
        reply = read_reply(self._without_key(response.content), response.headers, latency_ms)
        return replace(reply, cost_usd=cost_usd(reply, self._settings))

    async def check(self) -> frozenset[str] | None:
        """The models the endpoint lists, None when it has no list; spends nothing.

        Raises CallError when nothing listens, the key is refused, or the server cannot serve now.
        """
        url = self._url.copy_with(path=self._url.path.removesuffix("/chat/completions") + "/models")
        response = await self._connection.send("GET", url, self._headers)
        if response.status_code == httpx.codes.OK:
            return listed_models(response.content)
        refused = self._refusal(response)
        # A server that does not know the address is there: many compatible ones have no list of models.
        if refused.error_class in {ErrorClass.NOT_FOUND, ErrorClass.BAD_REQUEST}:
            return None
        raise refused

    async def aclose(self) -> None:
        await self._connection.aclose()

    def _refusal(self, response: httpx.Response) -> CallError:
        said = self._without_key(response.content)
        return failure_of_status(response.status_code, response.headers, said, self._now())

    def _without_key(self, body: bytes) -> bytes:
        """Servers quote what they were sent: the key does not leave through their mouth."""
        key = self._settings.api_key
        return body.replace(key.encode(), b"***") if key else body

    def _messages(self, case: Case) -> list[dict[str, str]]:
        system = self._settings.system_prompt
        deployed = [] if system is None else [{"role": "system", "content": system}]
        return deployed + [{"role": message.role, "content": message.content} for message in case.input]


def cost_usd(reply: Reply, settings: OpenAISettings) -> float | None:
    """Price times tokens; None when a price or a count is missing."""
    price_in, price_out = settings.input_usd_per_mtok, settings.output_usd_per_mtok
    if price_in is None or price_out is None or reply.input_tokens is None or reply.output_tokens is None:
        return None
    return (reply.input_tokens * price_in + reply.output_tokens * price_out) / 1e6


def _endpoint(base_url: str) -> httpx.URL:
    try:
        url = httpx.URL(base_url)
    except httpx.InvalidURL as error:
        raise TargetError(f"base_url {base_url!r} is no URL ({error}); give it as https://host/v1") from None
    if url.userinfo:
        raise TargetError(f"base_url of {url.host} holds a user or password; give the key as api_key")
    if url.scheme not in {"http", "https"} or not url.host:
        raise TargetError(f"base_url {base_url!r} has no http(s) scheme or no host; give it as https://host/v1")
    return url.copy_with(path=url.path.rstrip("/") + "/chat/completions")


def _authorization(settings: OpenAISettings) -> dict[str, str]:
    key = settings.api_key
    if key is None:
        return {}
    if not key.isascii() or not key.isprintable() or key != key.strip() or not key:
        raise TargetError(
            f"the api_key of target {settings.base_url} is empty or holds a character no HTTP header can carry"
            " (a line break at its end?)"
        )
    return {"authorization": f"Bearer {key}"}


def _fixed_parameters(settings: OpenAISettings) -> dict[str, Any]:
    named = {name: getattr(settings, name) for name in ("temperature", "top_p", "max_tokens", "seed")}
    return {"model": settings.model} | {name: value for name, value in named.items() if value is not None}


def _conditions(settings: OpenAISettings) -> TargetConditions:
    prompt = settings.system_prompt
    return TargetConditions(
        kind="openai",
        base_url=settings.base_url,
        model=settings.model,
        system_prompt_hash=None if prompt is None else prompt_hash(prompt),
        template_hash=None,  # cases are sent as they stand
        prompt_id=settings.prompt_id,
        prompt_version=settings.prompt_version,
        temperature=settings.temperature,
        top_p=settings.top_p,
        max_tokens=settings.max_tokens,
        seed=settings.seed,
    )
