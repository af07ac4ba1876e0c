"""How readers of the dashboard log in: with a provider, with an API token, or with the token of the dashboard."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from dashboards.login.provider import Provider
from monitor.cli.dashboard.process import DashboardSettings, is_loopback
from monitor.cli.terminal.output import note
from monitor.errors import UsageError

if TYPE_CHECKING:
    from monitor.config.oidc import OidcConfig
    from monitor.config.tree import Config

EVERY_ADDRESS = ("://0.0.0.0", "://[::]")  # a browser cannot return to these
SCOPES = ("openid", "email", "profile")
OPEN_TO_ALL = "everyone who can reach the dashboard has the roles of this token"


def with_login(settings: DashboardSettings, oidc: "OidcConfig | None", *, without_login: bool) -> DashboardSettings:
    """Return the settings with the login of a configuration. The address of the dashboard must be set already.

    Raises UsageError when a token of a file would open the dashboard to other machines without --without-login.
    """
    if settings.token_file is not None:
        return _shared(settings, without_login=without_login)
    if without_login:
        raise UsageError("--without-login gives all readers the token of a file; name the file as well")
    if oidc is None or settings.provider is not None:
        return settings
    return replace(settings, provider=_provider(oidc, settings.page_url or settings.url))


def demand_login_possible(settings: DashboardSettings) -> None:
    """Raise UsageError for a login that no browser could complete."""
    page_url = settings.page_url or settings.url
    if settings.provider is not None and any(every in page_url for every in EVERY_ADDRESS):
        raise UsageError(
            f"the login cannot return to {page_url}; set the address of the dashboard in browsers: api.dashboard_url, "
            "or --public-url"
        )


def provider_of_options(
    issuer: str | None, client_id: str | None, secret_file: Path | None, scopes: list[str] | None, page_url: str
) -> Provider | None:
    """Return the provider of a dashboard that reads no configuration. Raises UsageError for half a provider."""
    if issuer is None and client_id is None and secret_file is None:
        return None
    if issuer is None or client_id is None or secret_file is None:
        raise UsageError("--oidc-issuer, --oidc-client-id and --oidc-client-secret-file belong together; give all")
    try:
        secret = secret_file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"--oidc-client-secret-file {secret_file} cannot be read: {error}") from None
    if not secret:
        raise UsageError(f"--oidc-client-secret-file {secret_file} is empty")
    return Provider(
        issuer=issuer, client_id=client_id, client_secret=secret, scopes=scopes or SCOPES, page_url=page_url
    )


def page_url_of(config: "Config") -> str | None:
    """Return the address of the dashboard in browsers, if the configuration has one."""
    return config.api.dashboard_url


def _shared(settings: DashboardSettings, *, without_login: bool) -> DashboardSettings:
    if is_loopback(settings.host):
        return settings
    if not without_login:
        raise UsageError(
            f"on {settings.host}, {OPEN_TO_ALL}; leave the file out, so that readers log in with their own tokens, "
            "or add --without-login if a proxy in front of the dashboard has a login"
        )
    note(f"warning: {OPEN_TO_ALL}; only a proxy with a login may reach {settings.host}")
    return settings


def _provider(oidc: "OidcConfig", page_url: str) -> Provider:
    if oidc.client_secret is None:
        raise UsageError(
            "api.oidc: the login of the dashboard needs client_secret or client_secret_file; "
            "create a confidential client (web application) at the provider"
        )
    return Provider(
        issuer=oidc.issuer,
        client_id=oidc.client_id,
        client_secret=oidc.client_secret.get_secret_value(),
        scopes=oidc.scopes,
        page_url=page_url,
    )
