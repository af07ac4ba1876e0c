"""The prompt that a deployment runs now, from what was announced or what its traffic shows."""

from typing import Any

from monitor.changes.fingerprint import named_prompt
from monitor.domain.version import Version
from monitor.store import prompts, versions
from monitor.store.database import Store, Tx
from replay.errors import TargetError

ANNOUNCE = "announce it with its text (`driftd changes announce --prompt-file`), or set prompt_from to config"


def prompt_options(store: Store, deployment: str, source: str) -> dict[str, Any]:
    """What a target is told of its prompt beside its settings. TargetError when the prompt is not known: a run
    with another prompt than the deployed one would tell nothing.
    """
    if source == "config":
        return {}
    with store.read() as tx:
        version_id = versions.current_version(tx, deployment)
        version = None if version_id is None else versions.get(tx, deployment, version_id)
        if version is None:
            raise TargetError(f"deployment {deployment!r} has no version yet, so no prompt of it is {source}")
        found = _announced(tx, version) if source == "announced" else _observed(tx, version)
    return {**found, "prompt_from": source}


def _announced(tx: Tx, version: Version) -> dict[str, Any]:
    """The text told with the version, as a template."""
    text = prompts.announced(tx, version.deployment, version.id)
    if text is None:
        where = f"deployment {version.deployment!r}, version {version.label!r}"
        raise TargetError(f"{where}: its prompt was not announced; {ANNOUNCE}")
    prompt_id, prompt_version = named_prompt(version.identity.get("prompt", ""))
    return {"template": text, "prompt_id": prompt_id, "prompt_version": prompt_version}


def _observed(tx: Tx, version: Version) -> dict[str, Any]:
    """The system message of traffic, word for word."""
    seen = prompts.observed(tx, version.deployment, version.id)
    if seen is None:
        where = f"deployment {version.deployment!r}, version {version.label!r}"
        raise TargetError(f"{where}: no traffic with a whole system message was seen; set prompt_from to config")
    return {"system_prompt": seen.text, "prompt_id": seen.prompt_id, "prompt_version": seen.prompt_version}
