"""The Dockerfile as text: its targets, and that its context has every file that it copies. `.ci/image` builds it."""

import re
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[2]
LAKE_LOCK = "requirements-duckdb-1.5.5.lock"


@dataclass(slots=True)
class Stage:
    """A stage: what it starts from, its instructions without line breaks."""

    name: str
    base: str
    lines: list[str] = field(default_factory=list)

    def copied(self) -> list[tuple[str, str]]:
        """Return the stage that each COPY reads, or an empty text for the context, with each source."""
        found = []
        for line in self.lines:
            if line.startswith("COPY "):
                words = line.split()[1:]
                origin = next((word.removeprefix("--from=") for word in words if word.startswith("--from=")), "")
                found += [(origin, word) for word in words[:-1] if not word.startswith("--")]
        return found


def stages() -> list[Stage]:
    text = re.sub(r"\\\n\s*", "", (ROOT / "Dockerfile").read_text())
    found: list[Stage] = []
    for line in text.splitlines():
        if match := re.fullmatch(r"FROM (\S+)(?: AS (\S+))?", line):
            found.append(Stage(match[2] or "", match[1]))
        elif found and line and not line.startswith("#"):
            found[-1].lines.append(line)
    return found


def named(name: str) -> Stage:
    (found,) = [stage for stage in stages() if stage.name == name]
    return found


def test_the_image_without_a_target_has_the_packages_of_a_file() -> None:
    last = stages()[-1]
    assert (last.name, last.base) == ("", "base")
    assert last.copied() == [("build", "/opt/driftd")]
    assert LAKE_LOCK not in "\n".join(named("build").lines)


def test_the_target_lake_differs_only_in_the_packages_of_duckdb() -> None:
    lake = named("lake")
    assert lake.base == stages()[-1].base == "base"
    assert lake.copied() == [("build-lake", "/opt/driftd")]
    built = named("build-lake")
    assert built.base == "build"
    (install,) = [line for line in built.lines if line.startswith("RUN ")]
    assert install.endswith(f"-r {LAKE_LOCK}")
    for option in ("--require-hashes", "--no-deps", "--python /opt/driftd/bin/python"):
        assert option in install


def test_both_images_run_the_daemon_as_their_user() -> None:
    base = named("base")
    assert "USER 10001:10001" in base.lines
    assert 'CMD ["serve", "--config", "/etc/driftd/driftd.yaml"]' in base.lines
    assert "VOLUME /var/lib/driftd" in base.lines


def test_the_context_has_every_file_that_is_copied() -> None:
    allowed = {line.removeprefix("!") for line in (ROOT / ".dockerignore").read_text().splitlines() if line[:1] == "!"}
    copied = {source for stage in stages() for origin, source in stage.copied() if not origin}
    assert copied | {"Dockerfile"} == allowed
    assert [source for source in copied if not (ROOT / source).exists()] == []


def test_the_lock_of_the_target_lake_has_the_duckdb_of_its_extensions() -> None:
    locked = dict(re.findall(r"^([a-z-]+)==(\S+)", (ROOT / LAKE_LOCK).read_text(), re.MULTILINE))
    assert locked["duckdb"] == "1.5.5"
    assert set(locked.values()) == {"1.5.5"}
    assert {"duckdb", "duckdb-extension-ducklake", "duckdb-extension-postgres-scanner"} <= locked.keys()
