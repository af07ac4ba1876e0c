"""The scenarios with Amazon's client for Bedrock, over the Converse API."""

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import boto3
import contract
from botocore.exceptions import ClientError

MODEL = "anthropic.claude-3-5-sonnet-20241022-v2:0"
TOOLS = {
    "tools": [
        {
            "toolSpec": {
                "name": contract.TOOL_NAME,
                "description": contract.TOOL_DESCRIPTION,
                "inputSchema": {"json": contract.TOOL_PARAMETERS},
            }
        }
    ]
}
OPTIONS: dict[str, Any] = {
    "modelId": MODEL,
    "system": [{"text": contract.SYSTEM}],
    "inferenceConfig": {
        "temperature": contract.TEMPERATURE,
        "topP": contract.TOP_P,
        "maxTokens": contract.MAX_TOKENS,
    },
}


def client() -> Any:
    return boto3.client(
        "bedrock-runtime", endpoint_url=contract.PROVIDER, region_name="us-east-1", aws_access_key_id="none",
        aws_secret_access_key="none",
    )  # fmt: skip


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": [{"text": text}]}


def plain(made: Any, question: str = contract.QUESTION) -> Any:
    return made.converse(messages=[user(question)], **OPTIONS)


def stream(made: Any, read: int | None = None) -> None:
    pieces = made.converse_stream(messages=[user(contract.QUESTION)], **OPTIONS)["stream"]
    for number, _ in enumerate(pieces, 1):
        if number == read:
            pieces.close()
            break


def tool(made: Any) -> None:
    asked = [user(contract.WEATHER_QUESTION)]
    said = made.converse(messages=asked, toolConfig=TOOLS, **OPTIONS)["output"]["message"]
    use = said["content"][0]["toolUse"]
    result = {"toolResult": {"toolUseId": use["toolUseId"], "content": [{"text": contract.WEATHER}]}}
    made.converse(messages=[*asked, said, {"role": "user", "content": [result]}], toolConfig=TOOLS, **OPTIONS)


def error(made: Any) -> None:
    try:
        plain(made)
    except ClientError:
        return
    raise AssertionError("the provider rejected the call, and the client reports no error")


def parallel(made: Any) -> None:
    with ThreadPoolExecutor(len(contract.PARALLEL)) as pool:
        list(pool.map(lambda question: plain(made, question), contract.PARALLEL))


def scenarios(make: Callable[[], Any] = client) -> Mapping[str, Callable[[], object]]:
    return {
        "plain": lambda: plain(make()),
        "stream": lambda: stream(make()),
        "tool": lambda: tool(make()),
        "retry": lambda: plain(make()),
        "error": lambda: error(make()),
        "abandoned": lambda: stream(make(), contract.READ_OF_ABANDONED),
        "parallel": lambda: parallel(make()),
    }
