"""What runs a program of a model: the sandbox of this machine, or one elsewhere."""

from concurrent.futures import Future
from typing import Protocol

from replay.errors import ReplayError
from replay.sandbox.limits import Executed, SandboxLimits


class SandboxError(ReplayError):
    """The sandbox is missing, does not start, or lost a program."""


class RemoteSandbox(Protocol):
    """A sandbox on other machines, in which programs run at the same time."""

    def submit(self, program: str, limits: SandboxLimits, *, stdin: str = "") -> "Future[Executed]":
        """Begin to run the text of a Python program. The result is its end, or raises SandboxError."""
        ...

    def require(self) -> None:
        """Run a small program. Raise SandboxError, with the reason and the action, if programs cannot run safely."""
        ...
