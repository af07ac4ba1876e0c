"""Checks the certificates of the listeners and of the dashboard."""

from collections.abc import Iterator
from datetime import datetime

from monitor.cli.checks.line import Line, fail, ok, warn
from monitor.config.tree import Config
from monitor.tls.certificates import EXPIRES_SOON, UnusableCertificate, load_certificate
from monitor.tls_parts import DASHBOARD, LISTENERS, certificate_files


def check_tls(config: Config, now: datetime) -> Iterator[Line]:
    """Return one line for each listener with TLS. The check of secret files has the permissions of the keys."""
    for listener in (*LISTENERS, DASHBOARD):
        check = f"tls {listener}"
        if (files := certificate_files(config, listener)) is None:
            continue
        try:
            found = load_certificate(files)
        except UnusableCertificate as error:
            yield fail(check, str(error))
            continue
        end = f"{found.not_after:%Y-%m-%d %H:%M} UTC"
        if why := found.invalid(now):
            yield fail(check, f"{files.cert_file}: {why}; clients refuse it")
        elif not found.names:
            yield fail(check, f"{files.cert_file} has no subject alternative name; clients ignore the common name")
        elif found.not_after - now <= EXPIRES_SOON:
            yield warn(check, f"{files.cert_file} expires at {end}; renew it")
        else:
            senders = f"; senders need a certificate of {files.client_ca_file}" if files.client_ca_file else ""
            yield ok(check, f"certificate for {', '.join(found.names)} until {end}{senders}")
