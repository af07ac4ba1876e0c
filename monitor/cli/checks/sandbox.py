"""Checks the sandbox of scorers that run programs."""

from contextlib import ExitStack

from monitor.cli.checks.line import Line, fail, ok
from monitor.config.tree import Config
from monitor.sandbox_parts import remote_sandbox
from replay.sandbox.base import SandboxError
from replay.sandbox.bubblewrap import require_sandbox

KIND = "code"


def check_sandbox(config: Config) -> list[Line]:
    """Return one line if a set has a scorer that runs programs; none otherwise."""
    names = [name for name, section in config.sets.items() if any(each.kind == KIND for each in section.scorers)]
    if not names:
        return []
    with ExitStack() as teardown:
        remote = remote_sandbox(config, teardown)
        try:
            if remote is None:
                require_sandbox()
            else:
                remote.require()
        except SandboxError as error:
            return [fail("sandbox", f"{error}; until then set {names[0]} has no verdicts")]
    where = "bubblewrap" if remote is None else "a Job of Kubernetes"
    return [ok("sandbox", f"{where} runs the programs of {', '.join(names)}")]
