"""The prompt that a deployment runs now, from its announcement or from its traffic."""

from collections.abc import Mapping
from typing import Any

from monitor.changes.fingerprint import named_prompt
from monitor.domain.version import Version
from monitor.store.engine.database import Store, Tx
from monitor.store.traffic import prompts, versions
from monitor.store.traffic.prompts import ReplayedPrompt
from replay.errors import TargetError
from replay.types import TargetConditions

ANNOUNCE = "announce it with its text (`driftd changes announce --prompt-file`), or set prompt_from to config"


def prompt_options(store: Store, deployment: str, source: str) -> dict[str, Any]:
    """Return the prompt options of a target, in addition to its settings.

    Raises TargetError when the prompt is not known: a run with another prompt than the deployed one would prove
    nothing.
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


def keep_prompt(store: Store, deployment: str, options: Mapping[str, Any], conditions: TargetConditions) -> None:
    """Store the prompt of a target, so that an investigation can set it back after the deployment has changed it.

    `conditions` are the conditions of the target. They name the prompt by the digest that manifests contain.
    """
    template, text = options.get("template"), options.get("system_prompt")
    digest = _digest(conditions.template_hash, conditions.system_prompt_hash)
    body = template if template is not None else text
    if digest is None or body is None:
        return
    prompt = ReplayedPrompt(
        text=body,
        is_template=template is not None,
        prompt_id=conditions.prompt_id,
        prompt_version=conditions.prompt_version,
    )
    with store.read() as tx:
        if prompts.replayed(tx, deployment, digest) is not None:
            return
    with store.write() as tx:
        prompts.store_replayed(tx, deployment, digest, prompt)


def replayed_prompt(store: Store, deployment: str, manifest_target: Mapping[str, Any]) -> dict[str, Any]:
    """Return the prompt options of an earlier run; `manifest_target` is the target section of its manifest.

    Raises TargetError when the text of the prompt was not stored.
    """
    digest = _digest(manifest_target.get("template_hash"), manifest_target.get("system_prompt_hash"))
    if digest is None:
        return {"system_prompt": None, "template": None, "prompt_id": None, "prompt_version": None}
    with store.read() as tx:
        kept = prompts.replayed(tx, deployment, digest)
    if kept is None:
        raise TargetError(f"the text of the old prompt ({digest[:12]}) is not kept: it was replayed by an older driftd")
    return {
        "system_prompt": None if kept.is_template else kept.text,
        "template": kept.text if kept.is_template else None,
        "prompt_id": kept.prompt_id,
        "prompt_version": kept.prompt_version,
    }


def _digest(template_hash: str | None, text_hash: str | None) -> str | None:
    """Return the digest of the prompt: of its template if it has one, because the text differs from case to case."""
    return template_hash or text_hash


def _announced(tx: Tx, version: Version) -> dict[str, Any]:
    """Return the text that was announced with the version, as a template."""
    text = prompts.announced(tx, version.deployment, version.id)
    if text is None:
        where = f"deployment {version.deployment!r}, version {version.label!r}"
        raise TargetError(f"{where}: its prompt was not announced; {ANNOUNCE}")
    prompt_id, prompt_version = named_prompt(version.identity.get("prompt", ""))
    return {"template": text, "prompt_id": prompt_id, "prompt_version": prompt_version}


def _observed(tx: Tx, version: Version) -> dict[str, Any]:
    """Return the system message of the newest traffic, unchanged."""
    seen = prompts.observed(tx, version.deployment, version.id)
    if seen is None:
        where = f"deployment {version.deployment!r}, version {version.label!r}"
        raise TargetError(
            f"{where}: no traffic with a whole system message was seen (a redacted one is none: name what it "
            "holds in redaction.allow); set prompt_from to config"
        )
    return {"system_prompt": seen.text, "prompt_id": seen.prompt_id, "prompt_version": seen.prompt_version}
