"""Builds the certificates of the listeners from the configuration. app.py connects them."""

from collections.abc import Mapping

from monitor.clock import Clock
from monitor.config.tree import Config
from monitor.telemetry import Instruments
from monitor.tls.certificate_set import Certificates
from monitor.tls.certificates import CertificateFiles

# Section of `tls` by listener.
LISTENERS: Mapping[str, str] = {"api": "api", "ingest.otlp": "otlp", "ingest.otlp_grpc": "otlp_grpc"}
DASHBOARD = "dashboard"


def certificate_files(config: Config, listener: str) -> CertificateFiles | None:
    """Return the files of a listener, or of the dashboard; None if it uses no TLS."""
    found = config.tls.of(LISTENERS.get(listener, listener))
    return None if found is None else CertificateFiles(**found)


def certificates(config: Config, clock: Clock, telemetry: Instruments) -> Certificates:
    """Return the certificates of all listeners that use TLS, not loaded yet."""
    found = {listener: certificate_files(config, listener) for listener in LISTENERS}
    return Certificates({name: files for name, files in found.items() if files is not None}, clock, telemetry)
