"""What `driftd init` finds out by itself: names, ports, the time zone, and the model endpoint of the environment."""

import re
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import httpx
import tzlocal

from monitor.errors import UsageError

API_PORT, OTLP_PORT, OTLP_GRPC_PORT = 8400, 4318, 4317
_TRIED_PORTS: Final = 50
_LONGEST_NAME: Final = 40  # with `-private`, at most 64 characters
_LIST_S: Final = 5.0
_KEY, _URLS, _MODEL = "OPENAI_API_KEY", ("OPENAI_BASE_URL", "OPENAI_API_BASE"), "OPENAI_MODEL"


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """A model endpoint. `key_variable` is the environment variable with its key; the key itself is not stored."""

    base_url: str
    model: str
    key_variable: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ports:
    api: int
    otlp: int
    otlp_grpc: int


def product_name(folder: Path) -> str:
    """Return a name for the product from the name of its folder.

    >>> product_name(Path("/srv/Support Bot")), product_name(Path("/"))
    ('support-bot', 'product')
    """
    found = re.sub(r"[^a-z0-9]+", "-", folder.name.lower()).strip("-")[:_LONGEST_NAME]
    return found.strip("-") or "product"


def free_ports() -> Ports:
    """Return the usual ports; for a port that another process uses, the next free one."""
    otlp_grpc = _free(OTLP_GRPC_PORT, ())
    otlp = _free(OTLP_PORT, (otlp_grpc,))
    return Ports(api=_free(API_PORT, (otlp, otlp_grpc)), otlp=otlp, otlp_grpc=otlp_grpc)


def timezone_name() -> str:
    """Return the time zone of this machine."""
    return tzlocal.get_localzone_name() or "UTC"


def find_endpoint(base_url: str | None, model: str | None, env: Mapping[str, str]) -> Endpoint | None:
    """Return the endpoint of the options or of the environment; None if neither names one.

    Without a model name, the endpoint is asked for its list, and a list of one model decides. Raises UsageError if
    the model cannot be found out.
    """
    url = base_url or next((env[name] for name in _URLS if env.get(name)), None)
    if url is None:
        return None
    if re.fullmatch(r"https?://\S+", url) is None:
        raise UsageError(f"--base-url {url!r}: use an address that starts with http:// or https://")
    key = env.get(_KEY)
    chosen = model or env.get(_MODEL) or _only_model(url.rstrip("/"), key)
    return Endpoint(base_url=url.rstrip("/"), model=chosen, key_variable=_KEY if key else None)


def _only_model(url: str, key: str | None) -> str:
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    try:
        answer = httpx.get(f"{url}/models", headers=headers, timeout=_LIST_S)
        answer.raise_for_status()
        names = [str(each["id"]) for each in answer.json()["data"]]
    except (httpx.HTTPError, httpx.InvalidURL, ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{url} does not list its models ({type(error).__name__}); set --model") from None
    if len(names) != 1:
        raise UsageError(f"{url} has {len(names)} models; set --model to one of: {', '.join(sorted(names)[:20])}")
    return names[0]


def _free(usual: int, taken: tuple[int, ...]) -> int:
    for port in range(usual, usual + _TRIED_PORTS):
        if port in taken:
            continue
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise UsageError(f"no free port between {usual} and {usual + _TRIED_PORTS - 1}")
