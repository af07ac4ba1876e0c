import pytest

from monitor.domain.lake_address import LakeAddress


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://bob:p%40ss@db:5433/lake",
        "postgresql://db/lake",
        "postgres://bob@one:5432,two:5433/lake?target_session_attrs=read-write",
        "postgresql://[::1]:5432/lake",
        "postgresql:///lake?host=/var/run/postgresql",
        "postgresql://bob@db/lake?password=p%40ss&sslmode=require&application_name=a%20b",
    ],
)
def test_what_is_shown_is_the_same_address_without_the_password(url: str) -> None:
    address = LakeAddress.of(url)
    assert "p%40ss" not in address.shown
    assert "p@ss" not in repr(address)
    assert LakeAddress.of(address.shown).shown == address.shown
    again, same = LakeAddress.of(address.shown), (address.host, address.port, address.user, address.options)
    assert (again.host, again.port, again.user, again.options) == same
    assert again.password == ""
    assert address.password == ("p@ss" if "p%40ss" in url else "")


@pytest.mark.parametrize("url", ["", "db", "postgresql://", "postgresql://db", "postgresql://db/a/b", "http://db/lake"])
def test_another_text_is_refused_without_its_content(url: str) -> None:
    with pytest.raises(ValueError, match="postgresql://USER@HOST/DATABASE"):
        LakeAddress.of(url)
