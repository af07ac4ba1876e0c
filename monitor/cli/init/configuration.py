"""The text of the configuration that `driftd init` writes."""

import json
from pathlib import Path
from string import Template
from typing import Final

from monitor.cli.init.found import Endpoint, Ports

_TEMPLATE: Final = Path(__file__).with_name("template.yaml")
_EXAMPLE: Final = Endpoint(base_url="https://models.example.com/v1", model="MODEL", key_variable="MODEL_API_KEY")


def configuration(
    *, name: str, endpoint: Endpoint | None, ports: Ports, timezone: str, token_file: str, key_file: str
) -> str:
    """Return driftd.yaml. Without an endpoint, the deployment and its target are comments to complete."""
    return Template(_TEMPLATE.read_text(encoding="utf-8")).substitute(
        api_port=ports.api,
        otlp_port=ports.otlp,
        otlp_grpc_port=ports.otlp_grpc,
        timezone=timezone,
        token_file=token_file,
        key_file=key_file,
        set_name=set_name(name),
        product=_product(name, endpoint) if endpoint else _commented(_product(name, _EXAMPLE)),
    )


def set_name(name: str) -> str:
    """Return the name of the first private set of a product."""
    return f"{name}-private"


def _product(name: str, endpoint: Endpoint) -> str:
    key = (
        f"    api_key: ${{{endpoint.key_variable}}} # from the environment of the daemon\n"
        if endpoint.key_variable
        else ""
    )
    return f"""deployments:
  {name}:
    target: {name}-model
    sets: [] # after the import of the set: [{set_name(name)}]
    service_names: [{name}] # service.name in the telemetry of the application
    failure_categories: [incomplete, forbidden_content] # what the scorer of the set can report

targets:
  {name}-model: # any server with OpenAI's chat completions; docs/targets.md has other kinds
    base_url: {_quoted(endpoint.base_url)}
    model: {_quoted(endpoint.model)}
{key}    # system_prompt_file: prompts/system.md
"""


def _commented(text: str) -> str:
    lines = ["Replayed product: complete and uncomment both sections.", *text.splitlines()]
    return "".join(f"# {line}".rstrip() + "\n" for line in lines)


def _quoted(value: str) -> str:
    """Return a YAML text; `$` starts a variable of the environment."""
    return json.dumps(value.replace("$", "$$"), ensure_ascii=False)
