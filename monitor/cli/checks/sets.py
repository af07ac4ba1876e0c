"""Checks eval sets: each has a revision, and its key decrypts it."""

from collections.abc import Mapping

from monitor.api.schema import SetItem
from monitor.cli.checks.line import Line, fail, ok, warn
from monitor.cli.connection.client import Api
from monitor.config.policy import to_policy
from monitor.config.tree import Config, SetConfig
from monitor.domain.evalset import Revision, SetKind
from monitor.domain.policy import refusal
from monitor.errors import DriftdError
from monitor.parts import sealers
from monitor.store.engine.transaction import Tx
from monitor.store.sets import revisions as evalsets
from monitor.store.sets.sealed_sets import key_of_set, read_cases
from replay.errors import ReplayError
from replay.evalsets.sealing import Sealer

_MANY = 1_000_000


def check_deployments(config: Config) -> list[Line]:
    """Return a line for each deployment without sets or with sets that it may not replay, and for each unused set."""
    bare = [name for name, section in config.deployments.items() if not section.sets]
    used = {name for section in config.deployments.values() for name in section.sets}
    policy = to_policy(config)
    refused = [
        (name, why)
        for name, deployment in policy.deployments.items()
        for each in deployment.sets
        if (why := refusal(deployment, policy.sets[each])) is not None
    ]
    return [
        *(fail(f"deployment {name}", why) for name, why in refused),
        *(warn(f"deployment {n}", "it has no sets: changes are recorded, but nothing is replayed") for n in bare),
        *(warn(f"set {n}", "unused; add it to the sets of a deployment") for n in config.sets if n not in used),
    ]


def check_in_file(config: Config, tx: Tx) -> list[Line]:
    """Check every used set in the database file, with its key."""
    seals = sealers(config)
    return [_in_file(tx, name, section, seals.get(name), users) for name, (section, users) in _used(config).items()]


def check_without_file(config: Config) -> list[Line]:
    """Check every used set before the database exists."""
    return [_absent(name, section, users) for name, (section, users) in _used(config).items()]


def check_at_daemon(config: Config, api: Api) -> list[Line]:
    """Check every used set with the daemon that has the file open."""
    try:
        listed = api.list("/api/v1/sets", SetItem, limit=_MANY).items
    except DriftdError as error:
        return [warn("sets", f"the daemon does not list its sets: {error}")]
    current = {item.name: item for item in reversed(listed)}  # newest first: the newest one remains
    return [_at_daemon(current, name, section, users) for name, (section, users) in _used(config).items()]


def _used(config: Config) -> dict[str, tuple[SetConfig, str]]:
    """Return every set that a deployment names, with those deployments."""
    users = {
        name: ", ".join(d for d, section in config.deployments.items() if name in section.sets) for name in config.sets
    }
    return {name: (section, users[name]) for name, section in config.sets.items() if users[name]}


def _in_file(tx: Tx, name: str, section: SetConfig, sealer: Sealer | None, users: str) -> Line:
    found = evalsets.current(tx, name)
    if found is None:
        return _absent(name, section, users)
    try:
        read_cases(tx, name, found.revision, sealer)
    except (ReplayError, DriftdError) as error:
        return fail(f"set {name}", f"{_revision(found)} of {users} cannot be opened: {error}")
    if sealer is not None and key_of_set(tx, name) not in (None, sealer.key_id):
        sentence = f"{_revision(found)} is sealed with an old key; run `driftd sets rotate {name} --key`"
        return warn(f"set {name}", sentence)
    return ok(f"set {name}", f"{_revision(found)} for {users}{', opened with its key' if found.sealed else ''}")


def _at_daemon(current: Mapping[str, SetItem], name: str, section: SetConfig, users: str) -> Line:
    found = current.get(name)
    if found is None:
        return _absent(name, section, users)
    sentence = f"{_revision(found)} for {users}"
    if not found.sealed:
        return ok(f"set {name}", sentence)
    return warn(f"set {name}", f"{sentence}; its key was not tested, because the daemon has the file open")


def _absent(name: str, section: SetConfig, users: str) -> Line:
    if section.kind is SetKind.DYNAMIC:
        return ok(
            f"set {name}", f"no revision yet; accepted corrections of {users} enter with the next scheduled replay"
        )
    return fail(
        f"set {name}", f"no revision; nothing is replayed for {users}; import it with `driftd sets import {name} FILE`"
    )


def _revision(found: Revision | SetItem) -> str:
    return f"revision {found.revision[:12]}, {found.cases} cases,"
