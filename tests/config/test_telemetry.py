from pathlib import Path

import pytest

from monitor.errors import ConfigError
from tests.config.builders import config


def test_without_an_endpoint_nothing_is_exported() -> None:
    assert config().telemetry.otlp_endpoint is None


def test_a_file_has_one_header_in_each_line(tmp_path: Path) -> None:
    (tmp_path / "headers").write_text("Authorization: Bearer a:b c\n\nX-Scope: night \n")
    section = config(tmp_path, telemetry={"otlp_endpoint": "http://c:4318", "otlp_headers_file": "headers"}).telemetry
    assert section.headers() == {"Authorization": "Bearer a:b c", "X-Scope": "night"}
    assert "Bearer" not in repr(section)


@pytest.mark.parametrize("line", ["secret-token", ": secret-token", "Na me: secret-token", "Name:", "Nä: secret-token"])
def test_an_invalid_header_line_is_reported_without_quoting_it(line: str) -> None:
    with pytest.raises(ConfigError, match=r"telemetry\.otlp_headers: line 2 is not a header") as caught:
        config(telemetry__otlp_headers=f"X-Fine: yes\n{line}")
    assert "secret-token" not in str(caught.value)
