"""Build tokens and the users of the identity provider from the configuration. app.py connects them."""

from monitor.api.auth import Role, Token, Tokens
from monitor.api.users import Users, grants_of
from monitor.clock import Clock
from monitor.config import tree
from monitor.guards.failed_logins import FailedLogins
from monitor.guards.oidc.claims import Expected
from monitor.guards.oidc.discovery import fetch_keys
from monitor.guards.oidc.id_token import IdTokens
from monitor.guards.oidc.signing_keys import SigningKeys
from monitor.guards.rate_limits import RateLimits
from monitor.store.access import tokens as stored_tokens
from monitor.store.engine.database import Store
from monitor.telemetry import NO_TELEMETRY, Recorder


def tokens(
    config: tree.Config, failures: FailedLogins, clock: Clock, store: Store | None, telemetry: Recorder = NO_TELEMETRY
) -> Tokens:
    """Return the tokens of the configuration. In a daemon, which has a store: also the stored ones and the users."""
    configured = [
        Token(
            name=t.name,
            sha256=t.sha256,
            roles=frozenset(Role(role) for role in t.roles),
            deployments=None if t.deployments is None else frozenset(t.deployments),
        )
        for t in config.api.tokens
        if t.sha256 is not None
    ]
    if store is None:
        return Tokens(configured, failures, clock)
    limit = config.api.rate_limit
    rates = RateLimits(per_s=limit.requests_per_s, burst=limit.burst, telemetry=telemetry)
    known = Tokens(configured, failures, clock, users(config, clock), rates=rates)
    with store.read() as tx:
        known.store(stored_tokens.unrevoked(tx))
    return known


def users(config: tree.Config, clock: Clock) -> Users | None:
    """Return the users of the identity provider, None without one. The first request for its keys starts now."""
    if (section := config.api.oidc) is None:
        return None
    expected = Expected(
        issuer=section.issuer, client_id=section.client_id, audience=section.audience or section.client_id
    )
    keys = SigningKeys(lambda: fetch_keys(expected.issuer))
    grants = grants_of(
        {group: frozenset(Role(role) for role in named) for group, named in section.roles.items()},
        {group: frozenset(named) for group, named in section.deployments.items()},
    )
    found = Users(IdTokens(expected, section.groups_claim, keys, clock.now), grants)
    found.fetch_keys()
    return found
