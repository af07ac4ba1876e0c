"""The redaction rules of a deployment: a part of the configuration."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import IPv4Network, IPv6Network

from monitor.domain.redaction import DROPPED, Action, Kind, Locale


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """The rules of a deployment. `patterns` are configured kinds by name, in RE2. Allowed values are exact in any case,
    whole matches of patterns, or networks.
    """

    actions: Mapping[str, Action] = field(default_factory=lambda: dict.fromkeys(Kind, Action.REPLACE))
    locales: frozenset[Locale] = frozenset(Locale)
    patterns: Mapping[str, str] = field(default_factory=dict)
    allow: frozenset[str] = frozenset()
    allow_patterns: tuple[str, ...] = ()
    allow_networks: tuple[IPv4Network | IPv6Network, ...] = ()
    hash_users: bool = True
    drop_attributes: tuple[str, ...] = DROPPED

    def action(self, kind: str) -> Action:
        return self.actions.get(kind, Action.REPLACE)


@dataclass(frozen=True, slots=True, kw_only=True)
class RulesByDeployment:
    default: Rules = field(default_factory=Rules)
    own: Mapping[str, Rules] = field(default_factory=dict)

    def of(self, deployment: str | None) -> Rules:
        """Return the rules of a deployment. For a text without a deployment, the rules of all deployments apply."""
        if deployment is None:
            return strictest([self.default, *self.own.values()])
        return self.own.get(deployment, self.default)


def strictest(rules: list[Rules]) -> Rules:
    """Return rules that search every kind of any rule and allow only values that every rule allows. The first action
    wins.
    """
    first, *others = rules
    actions: dict[str, Action] = dict(first.actions)
    for other in others:
        for kind, action in other.actions.items():
            if actions.get(kind, Action.KEEP) is Action.KEEP:
                actions[kind] = action
    return Rules(
        actions=actions,
        locales=first.locales.union(*(o.locales for o in others)),
        patterns=_either(rules),
        allow=first.allow.intersection(*(o.allow for o in others)),
        allow_patterns=tuple(p for p in first.allow_patterns if all(p in o.allow_patterns for o in others)),
        allow_networks=tuple(n for n in first.allow_networks if all(n in o.allow_networks for o in others)),
        hash_users=any(r.hash_users for r in rules),
        drop_attributes=tuple(dict.fromkeys(name for r in rules for name in r.drop_attributes)),
    )


def _either(rules: list[Rules]) -> dict[str, str]:
    """Return the patterns of all rules; two patterns of the same name become an alternation."""
    found: dict[str, dict[str, None]] = {}
    for one in rules:
        for name, pattern in one.patterns.items():
            found.setdefault(name, {})[pattern] = None
    return {name: "|".join(f"(?:{p})" for p in patterns) for name, patterns in found.items()}
