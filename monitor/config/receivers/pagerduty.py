"""Settings of the PagerDuty receiver."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import Field, SecretStr, field_validator, model_validator

from monitor.config.receivers.base import MessageReceiver
from monitor.config.section import FileKey, HttpUrl, fault, why

_ROUTING_KEY = re.compile(r"[A-Za-z0-9]{32}")
_HOSTS = {"us": "https://events.pagerduty.com", "eu": "https://events.eu.pagerduty.com"}


class PagerDutyReceiver(MessageReceiver):
    """Sends each group of alerts to PagerDuty's Events API v2 as one incident."""

    FILES: ClassVar[Mapping[str, FileKey]] = {
        "routing_key_file": FileKey(key="routing_key"),
        "webhook_secret_file": FileKey(key="webhook_secret"),
    }
    ACKNOWLEDGES: ClassVar[bool] = True

    kind: Literal["pagerduty"] = Field(
        description="pagerduty", json_schema_extra=why("PagerDuty calls the person who is on call")
    )
    routing_key: SecretStr | None = Field(
        default=None,
        description="Integration key of an Events API v2 integration, 32 characters. Give this or routing_key_file.",
        json_schema_extra=why("anyone who knows the key can open incidents"),
    )
    routing_key_file: Path | None = Field(
        default=None,
        description="File with the integration key.",
        json_schema_extra=why("orchestrators mount secrets as files"),
    )
    region: Literal["us", "eu"] = Field(
        default="us",
        description="Service region of the PagerDuty account: us or eu.",
        json_schema_extra=why("an account of one region does not know the keys of the other"),
    )
    events_url: HttpUrl | None = Field(
        default=None,
        description="Base URL of the Events API instead of that of the region, without /v2.",
        json_schema_extra=why("a relay, or a test, has an address of its own"),
    )
    timeout_s: float = Field(
        default=10.0,
        gt=0,
        le=300,
        description="Longest time for one delivery, from the name lookup to the response, in seconds.",
        json_schema_extra=why("a slower receiver counts as unavailable, and driftd retries the delivery"),
    )

    change_events: bool = Field(
        default=False,
        description="Send a change event when the version of a deployment changes or a baseline is accepted.",
        json_schema_extra=why("responders see whether a release came before an incident"),
    )
    webhook_secret: SecretStr | None = Field(
        default=None,
        min_length=16,
        description=(
            "Secret of the v3 webhook subscription that reports acknowledgements to"
            " POST /api/v1/callbacks/pagerduty/NAME. Give this or webhook_secret_file."
        ),
        json_schema_extra=why("the secret proves that PagerDuty sent a callback; without one the path responds 404"),
    )
    webhook_secret_file: Path | None = Field(
        default=None,
        description="File with the secret of the webhook subscription.",
        json_schema_extra=why("orchestrators mount secrets as files"),
    )

    def options(self) -> dict[str, Any]:
        """Return the options of `build_receiver`."""
        assert self.routing_key is not None, "_has_a_key checks it"
        return {
            "routing_key": self.routing_key.get_secret_value(),
            "url": (self.events_url or _HOSTS[self.region]).rstrip("/"),
            "timeout_s": self.timeout_s,
            "templates": self.templates.sources(),
        }

    @property
    def gets_change_events(self) -> bool:
        """Return whether PagerDuty records changes of versions and of baselines."""
        return self.change_events

    @property
    def callback_secret(self) -> SecretStr | None:
        """Return the secret of the webhook subscription."""
        return self.webhook_secret

    @field_validator("routing_key")
    @classmethod
    def _is_a_key(cls, key: SecretStr | None) -> SecretStr | None:
        if key is not None and not _ROUTING_KEY.fullmatch(key.get_secret_value()):
            raise ValueError("an integration key has 32 letters and digits; copy it from the integration in PagerDuty")
        return key

    @model_validator(mode="after")
    def _has_a_key(self) -> "PagerDutyReceiver":
        if self.routing_key is None:
            raise fault("routing_key", "give routing_key or routing_key_file")
        return self
