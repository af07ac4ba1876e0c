"""The identity of the daemon: whether it serves the database of this configuration."""

from typing import TYPE_CHECKING

from monitor.api.schema import CallerItem, DaemonItem
from monitor.errors import DriftdError, UsageError

if TYPE_CHECKING:
    from monitor.cli.connection.client import Api
    from monitor.config.tree import Config


def identify(api: "Api") -> DaemonItem | None:
    """Return the identity of the daemon; None if the token may not read it or the daemon is older."""
    try:
        return api.get("/api/v1/whoami", CallerItem).daemon
    except DriftdError:  # the request of the command reports the same error
        return None


def foreign(daemon: DaemonItem | None, config: "Config", where: str) -> str | None:
    """Return why the daemon at `where` does not belong to `config`; None if it does."""
    own = config.store.name
    if daemon is None or daemon.database == own:
        return None
    return (
        f"the daemon at {where} serves another database: {daemon.database} (configuration "
        f"{daemon.config_path or 'unknown'}, process {daemon.pid}), not {own}; stop it, set another api.port, "
        f"or name it with --url {where}"
    )


def demand_own(daemon: DaemonItem | None, config: "Config", where: str) -> None:
    """Raise UsageError if the daemon serves another configuration."""
    if reason := foreign(daemon, config, where):
        raise UsageError(reason)


def outdated(daemon: DaemonItem | None, config: "Config", where: str) -> str | None:
    """Return a warning if the configuration file was edited after the daemon started, else None."""
    source = config.source
    if daemon is None or source is None or daemon.config_sha256 in (None, source.sha256):
        return None
    if daemon.config_path != str(source.path):
        return f"the daemon at {where} was started with {daemon.config_path}, not with {source.path}"
    return f"the daemon at {where} was started before {source.path} changed; restart it to apply the changes"


def described(api: "Api") -> str:
    """Return the description of the connection in one line: `daemon URL, database PATH`."""
    if api.app is not None:
        return f"database {api.app.store.name}, no daemon"
    return f"daemon {api.where}" + (f", database {api.daemon.database}" if api.daemon else "")
