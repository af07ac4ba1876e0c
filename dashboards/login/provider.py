"""The settings of `st.login` for one OpenID Connect provider."""

import hashlib
import hmac
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Final, Self

DISCOVERY: Final = "/.well-known/openid-configuration"


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """A provider and the client that driftd is there. `page_url` is the address of the dashboard in browsers."""

    issuer: str
    client_id: str
    client_secret: str = field(repr=False)
    scopes: Sequence[str]
    page_url: str

    @classmethod
    def read(cls, document: Mapping[str, Any]) -> Self:
        return cls(**document)

    def document(self) -> dict[str, Any]:
        """Return the settings as JSON, for the process of the dashboard."""
        return asdict(self)

    def for_streamlit(self) -> dict[str, Any]:
        """Return the secrets of Streamlit. They stay in memory."""
        return {
            "auth": {
                "redirect_uri": f"{self.page_url.rstrip('/')}/oauth2callback",
                "cookie_secret": self._cookie_secret(),
                "client_id": self.client_id,
                "client_secret": self.client_secret,
                "server_metadata_url": f"{self.issuer.rstrip('/')}{DISCOVERY}",
                "expose_tokens": "id",  # the pages send the ID token to the daemon, which verifies it
                # Streamlit asks for a choice of account at each login, which some providers refuse. A parameter without
                # a value counts as absent (RFC 6749, 3.1), so a reader who is logged in there needs no further step.
                "client_kwargs": {"scope": " ".join(self.scopes), "prompt": ""},
            }
        }

    def _cookie_secret(self) -> str:
        """Return the key that signs the cookies. From the secret of the client, so that logins survive a restart."""
        if not self.client_secret:
            return secrets.token_hex(32)
        return hmac.new(self.client_secret.encode(), b"cookies of the dashboard of driftd", hashlib.sha256).hexdigest()
