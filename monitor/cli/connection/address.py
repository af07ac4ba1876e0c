"""The address of a daemon, and what a command trusts when it calls it."""

from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from monitor.errors import UsageError
from monitor.tls.trust import SYSTEM, Trust, trust_of_own

if TYPE_CHECKING:
    from monitor.config.tree import Config


def address_of(config: "Config") -> str:
    """Return the address of a daemon with this configuration, as seen from its own machine."""
    host, port = own_host(config.api.host), config.api.port
    scheme = "http" if config.tls.of("api") is None else "https"
    return f"{scheme}://[{host}]:{port}" if ":" in host else f"{scheme}://{host}:{port}"


def trust_of(config: "Config", ca_file: Path | None) -> Trust:
    """Return what a command of the same machine trusts: `ca_file`, else the certificate of the configuration."""
    files = config.tls.of("api")
    if files is None or ca_file is not None:
        return Trust(ca_file=ca_file)
    return trust_of_own(files["cert_file"], own_host(config.api.host))


def own_host(host: str) -> str:
    """Return the address by which this machine reaches a listener on `host`."""
    return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - read, not bound


def given_trust(ca_file: Path | None) -> Trust:
    return SYSTEM if ca_file is None else Trust(ca_file=ca_file)


def valid_address(url: str) -> str:
    """Return `url` without a trailing slash. Raises UsageError if it is not an HTTP address."""
    try:
        parsed = urlsplit(url)
        known = parsed.scheme in ("http", "https") and parsed.hostname and parsed.port != 0
    except ValueError:
        known = False
    if not known:
        raise UsageError(f"--url {url}: invalid address; example: http://127.0.0.1:8400")
    return url.rstrip("/")
