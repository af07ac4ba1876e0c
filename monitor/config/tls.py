"""Settings of TLS: one certificate for all listeners, and exceptions for single ones."""

from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationInfo, field_validator, model_validator

from monitor.config.section import Section, fault, folder_of, why

MinVersion = Literal["1.2", "1.3"]


class _Files(Section):
    cert_file: Path | None = Field(
        default=None,
        description="File with the certificate and its intermediate certificates, PEM. Needs key_file.",
        json_schema_extra=why("ACME clients and Kubernetes write the chain into one file"),
    )
    key_file: Path | None = Field(
        default=None,
        description="File with the private key of the certificate, PEM, without a password.",
        json_schema_extra=why("the daemon reads it again after a renewal, when no person can type a password"),
    )

    @field_validator("cert_file", "key_file", "client_ca_file", check_fields=False)
    @classmethod
    def _from_folder(cls, path: Path | None, info: ValidationInfo) -> Path | None:
        return None if path is None else folder_of(info) / path

    @model_validator(mode="after")
    def _are_a_pair(self) -> "_Files":
        for key, other in (("cert_file", "key_file"), ("key_file", "cert_file")):
            if getattr(self, key) is None and getattr(self, other) is not None:
                raise fault(key, f"is missing; {other} needs it")
        return self


class ListenerTlsConfig(_Files):
    """TLS of one listener. A key that is not given has the value of `tls`."""

    enabled: bool = Field(
        default=True,
        description="False: this listener uses no TLS, although `tls` has a certificate.",
        json_schema_extra=why("a proxy on the same machine may end TLS"),
    )
    min_version: MinVersion | None = Field(
        default=None,
        description="Lowest version of TLS. Default: tls.min_version.",
        json_schema_extra=why("one version for all listeners is easier to review"),
    )


class IngestTlsConfig(ListenerTlsConfig):
    """TLS of a receiver of telemetry. A key that is not given has the value of `tls`."""

    client_ca_file: Path | None = Field(
        default=None,
        description="File with the certificate authorities of senders, PEM. Senders then need a certificate of one of "
        "them, in addition to their token.",
        json_schema_extra=why("a sender without a certificate reaches no code that reads its data"),
    )


class TlsConfig(_Files):
    """TLS of all listeners and of the dashboard. Without a certificate they use plain HTTP and gRPC."""

    min_version: MinVersion = Field(
        default="1.2",
        description="Lowest version of TLS.",
        json_schema_extra=why("every client of the last ten years has it; older versions are broken"),
    )
    hsts_days: int = Field(
        default=365,
        ge=0,
        le=730,
        description="Days for which browsers use only HTTPS for the host name (Strict-Transport-Security); 0 sends no "
        "such header. It is sent only when the API and the dashboard both use TLS.",
        json_schema_extra=why(
            "a first request without TLS can be redirected by an attacker; it applies to all ports of the host"
        ),
    )
    api: ListenerTlsConfig = Field(
        default=ListenerTlsConfig(),
        description="TLS of the API.",
        json_schema_extra=why("one certificate is enough for most hosts"),
    )
    otlp: IngestTlsConfig = Field(
        default=IngestTlsConfig(),
        description="TLS of OTLP/HTTP.",
        json_schema_extra=why("only receivers of telemetry can require certificates of clients"),
    )
    otlp_grpc: IngestTlsConfig = Field(
        default=IngestTlsConfig(),
        description="TLS of OTLP/gRPC.",
        json_schema_extra=why("only receivers of telemetry can require certificates of clients"),
    )
    dashboard: ListenerTlsConfig = Field(
        default=ListenerTlsConfig(),
        description="TLS of the dashboard.",
        json_schema_extra=why("people may reach it by another name than programs"),
    )

    @model_validator(mode="after")
    def _is_possible(self) -> "TlsConfig":
        for key in ("otlp", "otlp_grpc"):
            section: IngestTlsConfig = getattr(self, key)
            if section.client_ca_file is not None and self.of(key) is None:
                raise fault(key, "client_ca_file needs a certificate: set tls.cert_file and tls.key_file")
        grpc = self.of("otlp_grpc")
        if grpc is not None and grpc["min_version"] != "1.2":
            raise fault(
                "otlp_grpc",
                "gRPC cannot refuse TLS 1.2; accept it with tls.otlp_grpc.min_version: '1.2', or set "
                "tls.otlp_grpc.enabled: false",
            )
        return self

    def of(self, listener: str) -> dict[str, Any] | None:
        """Return the merged settings of a listener: files and lowest version. None: it uses no TLS.

        `listener` is api, otlp, otlp_grpc or dashboard.
        """
        own: ListenerTlsConfig = getattr(self, listener)
        cert, key = (own.cert_file, own.key_file) if own.cert_file else (self.cert_file, self.key_file)
        if not own.enabled or cert is None or key is None:
            return None
        return {
            "cert_file": cert,
            "key_file": key,
            "client_ca_file": getattr(own, "client_ca_file", None),
            "min_version": own.min_version or self.min_version,
        }

    @property
    def hsts_s(self) -> int:
        """Return the seconds of Strict-Transport-Security; 0 sends no such header."""
        return self.hsts_days * 86_400 if self.of("api") and self.of("dashboard") else 0
