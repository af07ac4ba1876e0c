"""Build the rules from the configuration: the rules of a deployment on top of the general ones."""

from collections.abc import Mapping

from monitor.config.redaction import DeploymentRedactionConfig, RedactionConfig
from monitor.config.salt import read_salt
from monitor.config.tree import Config
from monitor.domain.redaction import Action, Kind
from monitor.ingest.redact.redactor import Redactor
from monitor.ingest.redact.rules import Rules, RulesByDeployment


def redactor_of(config: Config) -> Redactor:
    """Return a redactor with the salt of the installation, which is created when it is missing."""
    return Redactor(rules_of(config), read_salt(config.redaction, config.store.folder))


def rules_of(config: Config) -> RulesByDeployment:
    general = config.redaction
    own = {name: d.redaction for name, d in config.deployments.items() if d.redaction.model_fields_set}
    return RulesByDeployment(
        default=_general(general), own={name: _own(general, section) for name, section in own.items()}
    )


def _general(settings: RedactionConfig) -> Rules:
    return Rules(
        actions=_actions(settings.kinds),
        locales=frozenset(settings.locales),
        patterns=settings.patterns,
        allow=frozenset(settings.allow),
        allow_patterns=settings.allow_patterns,
        allow_networks=settings.allow_networks,
        hash_users=settings.users == "hash",
        drop_attributes=settings.drop_attributes,
    )


def _own(general: RedactionConfig, own: DeploymentRedactionConfig) -> Rules:
    own_values = {key: value for key, value in own if value is not None and key not in ("kinds", "patterns")}
    both = {"kinds": {**general.kinds, **own.kinds}, "patterns": {**general.patterns, **own.patterns}}
    return _general(general.model_copy(update=own_values | both))


def _actions(named: Mapping[str, Action]) -> dict[str, Action]:
    return {**dict.fromkeys((kind.value for kind in Kind), Action.REPLACE), **named}
