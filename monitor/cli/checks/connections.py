"""Checks the limit of open files: it must allow all configured connections."""

from monitor.cli.checks.line import Line, ok, warn
from monitor.config.tree import Config
from monitor.servers.descriptors import DescriptorLimit, connections_for, descriptors_for

CHECK = "open files"


def check_open_files(config: Config, limit: DescriptorLimit) -> Line:
    """Return one line. `limit` is that of this process; a daemon of another user or service manager may have another
    one.
    """
    wanted = config.connections.max_per_listener
    allowed = connections_for(limit.reachable, wanted)
    sentence = f"the limit of this process is {limit.reachable}"
    if allowed < wanted:
        need = descriptors_for(wanted)
        return warn(
            CHECK,
            f"{sentence}: {allowed} connections per listener are possible instead of {wanted} "
            f"(connections.max_per_listener); raise the hard limit to {need} (LimitNOFILE, ulimit -Hn)",
        )
    return ok(CHECK, f"{sentence}: enough for {wanted} connections on each of the three listeners")
