"""The address of the PostgreSQL database of a lake, without its password in anything that people read."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, Self
from urllib.parse import parse_qsl, quote, unquote, urlsplit

SCHEMES: Final = ("postgresql", "postgres")
PARTS: Final = {"host": "host", "port": "port", "dbname": "database", "user": "user", "password": "password"}


@dataclass(frozen=True, slots=True, kw_only=True)
class LakeAddress:
    """The parts of `postgresql://USER:PASSWORD@HOST:PORT/DATABASE?OPTION=VALUE`; an empty part has the default of
    PostgreSQL's clients. Several hosts are separated by commas, and so are their ports.
    """

    host: str
    port: str
    database: str
    user: str
    password: str = field(repr=False)
    options: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    @classmethod
    def of(cls, url: str) -> Self:
        """Return the parts of a URL. Raises ValueError, without the URL in its message.

        >>> LakeAddress.of("postgresql://driftd:secret@pg.internal/lake?sslmode=require").shown
        'postgresql://driftd@pg.internal/lake?sslmode=require'
        """
        try:
            parts = urlsplit(url)
            options = dict(parse_qsl(parts.query, strict_parsing=bool(parts.query)))
        except ValueError:
            raise ValueError("it is not a URL such as postgresql://USER@HOST/DATABASE") from None
        if parts.scheme not in SCHEMES or not parts.path.strip("/") or "/" in parts.path.strip("/") or parts.fragment:
            raise ValueError("it is not a URL such as postgresql://USER@HOST/DATABASE")
        login, _, hosts = parts.netloc.rpartition("@")
        user, _, password = login.partition(":")
        split = [_host_and_port(one) for one in hosts.split(",")]
        named = {
            "host": ",".join(host for host, _ in split),
            "port": ",".join(port for _, port in split) if any(port for _, port in split) else "",
            "database": unquote(parts.path.strip("/")),
            "user": unquote(user),
            "password": unquote(password),
        }
        named |= {PARTS[name]: options.pop(name) for name in list(options) if name in PARTS}
        return cls(**named, options=MappingProxyType(options))

    @property
    def shown(self) -> str:
        """Return the URL without the password."""
        user = f"{quote(self.user)}@" if self.user else ""
        ports = self.port.split(",") if self.port else []
        hosts = [f"[{host}]" if ":" in host else quote(host, safe="") for host in self.host.split(",")]
        where = ",".join(f"{host}:{ports[n]}" if n < len(ports) and ports[n] else host for n, host in enumerate(hosts))
        options = "&".join(f"{name}={quote(value)}" for name, value in self.options.items())
        return f"postgresql://{user}{where}/{quote(self.database)}" + (f"?{options}" if options else "")


def _host_and_port(text: str) -> tuple[str, str]:
    """Return one host and its port; the port is empty when the text has none.

    >>> _host_and_port("[::1]:5432"), _host_and_port("pg")
    (('::1', '5432'), ('pg', ''))
    """
    host, colon, port = text.rpartition(":")
    if not colon or port.endswith("]"):
        host, port = text, ""
    if port and not port.isdigit():
        raise ValueError("its port is not a number")
    return unquote(host.removeprefix("[").removesuffix("]")), port
