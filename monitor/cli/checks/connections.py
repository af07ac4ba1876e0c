"""The limit of open files: enough for the connections that the configuration allows."""

from monitor.cli.checks.line import Line, ok, warn
from monitor.config.tree import Config
from monitor.servers.descriptors import DescriptorLimit, connections_for, descriptors_for

CHECK = "open files"


def check_open_files(config: Config, limit: DescriptorLimit) -> Line:
    """`limit` is that of this process; a daemon under another user or a service manager may have its own."""
    wanted = config.connections.max_per_listener
    allowed = connections_for(limit.reachable, wanted)
    said = f"the limit of this process is {limit.reachable}"
    if allowed < wanted:
        need = descriptors_for(wanted)
        return warn(
            CHECK,
            f"{said}, which leaves {allowed} connections to each listener instead of {wanted} "
            f"(connections.max_per_listener); raise the hard limit to {need} (LimitNOFILE, ulimit -Hn)",
        )
    return ok(CHECK, f"{said}: enough for {wanted} connections on each of the three listeners")
