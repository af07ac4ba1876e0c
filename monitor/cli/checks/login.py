"""Checks the login of readers: whether the provider answers, and whether a browser can return from it."""

from monitor.cli.checks.line import Line, fail, ok, warn
from monitor.config.oidc import OidcConfig
from monitor.config.tree import Config
from monitor.guards.oidc.discovery import fetch_keys
from monitor.guards.oidc.signing_keys import ProviderUnavailable

CHECK = "login"


def check_login(config: Config) -> Line:
    """Return the line of the provider. The caller demands `api.oidc`."""
    section = config.api.oidc
    if section is None:
        raise ValueError("api.oidc is not set")
    try:
        keys = fetch_keys(section.issuer)
    except ProviderUnavailable as error:
        return fail(CHECK, f"users cannot log in: {error}")
    return _line(config, section, len(keys))


def _line(config: Config, section: OidcConfig, keys: int) -> Line:
    if section.client_secret is None:
        return warn(CHECK, "api.oidc has no client_secret: the API accepts ID tokens, and the dashboard cannot start")
    if config.api.dashboard_url is None:
        return warn(
            CHECK,
            "api.dashboard_url is not set: after a login, browsers return to the address of its listener",
        )
    callback = f"{config.api.dashboard_url.rstrip('/')}/oauth2callback"
    return ok(CHECK, f"{section.issuer} has {keys} keys; its redirect URI for driftd must be {callback}")
