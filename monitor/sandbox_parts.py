"""Builds the sandbox of the configuration, and gives it to the scorers that run programs."""

from contextlib import ExitStack
from dataclasses import replace

from monitor.config import tree
from replay.sandbox.base import RemoteSandbox
from replay.scorers.code import Code, RemoteCode
from replay.scorers.scorer_set import ScorerSet


def remote_sandbox(config: tree.Config, teardown: ExitStack) -> RemoteSandbox | None:
    """Return the sandbox on other machines, which `teardown` closes; None when programs run on this machine."""
    settings = config.sandbox.cluster
    if settings is None:
        return None
    from replay.sandbox.kubernetes.sandbox import ClusterSandbox  # it imports httpx, which most replays do not need

    sandbox = ClusterSandbox(settings)
    teardown.callback(sandbox.close)
    return sandbox


def placed(scorers: ScorerSet, sandbox: RemoteSandbox | None) -> ScorerSet:
    """Return the scorers, with the programs of their replies in the sandbox."""
    if sandbox is None or not any(isinstance(each, Code) for each in scorers):
        return scorers
    there = tuple(RemoteCode.of(each, sandbox) if isinstance(each, Code) else each for each in scorers)
    return replace(scorers, scorers=there)
