"""An endpoint whose answers depend on the prompt, in front of one recorded endpoint for each."""

import json
from collections import Counter
from collections.abc import Mapping

import httpx

from replay.recorded.data import RecordedData
from tests.app.two_models import TwoModels


class TwoPrompts(TwoModels):
    """`by_prompt` maps system messages to snapshots; all of them report the model name `reported`."""

    def __init__(self, data: RecordedData, by_prompt: Mapping[str, str]) -> None:
        super().__init__(data, tuple(by_prompt.values()), offered=())
        self.reported = "gpt-4-march"
        self.asked: Counter[str] = Counter()  # by prompt
        self._by_prompt = by_prompt

    def answer(self, body: bytes, sample: str | None, traceparent: str) -> tuple[int, bytes]:
        wanted = json.loads(body)
        prompt = next(m["content"] for m in wanted["messages"] if m["role"] == "system")
        self.asked[prompt] += 1
        snapshot = self._by_prompt[prompt]
        headers = {} if sample is None else {"x-driftd-sample": sample}
        found = httpx.post(
            f"{self._urls[snapshot]}/chat/completions", json={**wanted, "model": snapshot}, headers=headers
        )
        said = found.json()
        return found.status_code, json.dumps({**said, "model": self.reported, "system_fingerprint": None}).encode()
