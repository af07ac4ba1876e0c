"""Send one call and one correction: python example.py [OTLP address] [API address]."""

import sys
from typing import Any

from driftd_client import Driftd


def ask_model(messages: list[dict[str, str]]) -> dict[str, Any]:
    """Call your model here; this example always returns the same answer."""
    return {
        "id": "resp-1",
        "model": "support-llm-2026-03",
        "text": f"[No] A used kettle cannot be returned. ({len(messages)} messages read)",
        "usage": {"input": 58, "output": 12},
    }


def main(otlp: str = "http://127.0.0.1:4318", api: str = "http://127.0.0.1:8400") -> None:
    driftd = Driftd("support-bot", otlp=otlp, api=api)
    messages = [
        {"role": "system", "content": "You are the support assistant of a shop."},
        {"role": "user", "content": "May I return an unused kettle after two weeks?"},
    ]
    with driftd.call(model="support-llm", messages=messages, prompt=("support", "7"), category="returns") as call:
        reply = ask_model(messages)
        call.set_answer(
            reply["text"],
            model=reply["model"],
            response_id=reply["id"],
            input_tokens=reply["usage"]["input"],
            output_tokens=reply["usage"]["output"],
        )
    driftd.correct(response_id=reply["id"], expected="Yes", failure_category="wrong_refusal")
    driftd.close()
    print(f"sent to {otlp} and {api}; dropped: {driftd.dropped}")


if __name__ == "__main__":
    main(*sys.argv[1:])
