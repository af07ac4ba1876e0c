"""`driftd init` writes a configuration that loads, and never replaces a file."""

import socket
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from monitor.cli.init.found import API_PORT, free_ports, product_name
from monitor.config.load import load
from monitor.servers import HttpListener, Servers
from tests.cli.conftest import Run
from tests.cli.house import Model, running_model


@contextmanager
def listing_models(names: list[str]) -> Iterator[str]:
    async def models(_: Request) -> JSONResponse:
        return JSONResponse({"data": [{"id": name} for name in names]})

    app = Starlette(routes=[Route("/v1/models", models)])
    servers = Servers([HttpListener(key="models", app=app, host="127.0.0.1", port=0)])
    servers.start()
    try:
        yield f"{servers.addresses['models']}/v1"
    finally:
        servers.stop()


VARIABLES = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_API_BASE", "OPENAI_MODEL")


@pytest.fixture(autouse=True)
def _no_endpoint_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def model() -> Iterator[Model]:
    with running_model() as found:
        yield found


def test_the_files_are_private_and_the_configuration_passes_check(run: Run, tmp_path: Path) -> None:
    home = tmp_path / "Support Bot"
    made = run("init", home, "--json").document
    assert made["files"] == ["driftd.yaml", "secrets/token", "secrets/support-bot.key", "secrets/.gitignore"]
    assert (made["name"], made["set"], made["base_url"], made["model"]) == (
        "support-bot",
        "support-bot-private",
        None,
        None,
    )
    assert {stat.S_IMODE((home / name).stat().st_mode) for name in made["files"]} == {0o600}
    assert stat.S_IMODE((home / "secrets").stat().st_mode) == 0o700
    config = load(home / "driftd.yaml", {})
    assert (config.api.port, config.ingest.otlp.port) == (made["api_port"], made["otlp_port"])
    assert config.schedules["nightly"].timezone == made["timezone"]
    checked = run("check", "--config", home / "driftd.yaml", "--token-file", home / "secrets/token", "--json")
    assert checked.code == 0
    assert {line["state"] for line in checked.document["checks"]} == {"ok", "warn"}


def test_the_three_next_commands_are_printed_and_can_be_parsed(run: Run, tmp_path: Path) -> None:
    done = run("init", tmp_path / "shop")
    lines = [line.strip() for line in done.out.splitlines() if line.startswith("  driftd ")]
    assert lines == [
        "driftd check --token-file secrets/token",
        "driftd serve --dashboard",
        "driftd sets new cases.yaml",
    ]
    for line in lines:
        assert run(*line.split()[1:], "--help").code == 0


def test_an_endpoint_of_the_environment_becomes_a_deployment(
    run: Run, tmp_path: Path, model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", model.url)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-to-be-stored")
    made = run("init", tmp_path / "shop", "--model", "m-1", "--json").document
    text = (tmp_path / "shop/driftd.yaml").read_text()
    assert "sk-not-to-be-stored" not in text
    config = load(tmp_path / "shop/driftd.yaml", {"OPENAI_API_KEY": "sk-of-the-daemon"})
    assert config.deployments["shop"].target == "shop-model"
    assert made["model"] == "m-1"


@pytest.mark.parametrize(("names", "found"), [(["m-7"], "m-7"), (["m-7", "m-8"], None), ([], None)])
def test_the_only_model_of_an_endpoint_is_found(run: Run, tmp_path: Path, names: list[str], found: str | None) -> None:
    with listing_models(names) as url:
        done = run("init", tmp_path / "shop", "--base-url", url, "--json")
    if found:
        assert done.document["model"] == found
    else:
        assert f"{len(names)} models; set --model" in done.err
        assert not (tmp_path / "shop").exists()


@pytest.mark.parametrize("existing", ["driftd.yaml", "secrets/token", "secrets/shop.key"])
def test_nothing_is_written_if_a_file_exists(run: Run, tmp_path: Path, existing: str) -> None:
    home = tmp_path / "shop"
    (home / "secrets").mkdir(parents=True)
    (home / existing).write_text("mine")
    done = run("init", home)
    assert (done.code, (home / existing).read_text()) == (2, "mine")
    assert f"{home / existing} exists already" in done.err
    assert [path.name for path in home.rglob("*") if path.is_file()] == [Path(existing).name]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--name", "Not A Name"], "--name 'Not A Name'"),
        (["--base-url", "http://127.0.0.1:9/v1"], "set --model"),
        (["--base-url", "no address", "--model", "m"], "--base-url 'no address'"),
    ],
)
def test_what_cannot_be_found_out_is_named(run: Run, tmp_path: Path, arguments: list[str], message: str) -> None:
    done = run("init", tmp_path / "shop", *arguments)
    assert done.code == 2
    assert message in done.err
    assert not (tmp_path / "shop").exists()


@pytest.mark.parametrize(
    ("folder", "name"), [("/srv/Support Bot", "support-bot"), ("/", "product"), ("/x/__", "product"), ("/é", "product")]
)
def test_a_folder_names_the_product(folder: str, name: str) -> None:
    assert product_name(Path(folder)) == name


def test_a_long_name_leaves_room_for_the_name_of_its_set() -> None:
    assert len(product_name(Path("x" * 100))) == 40


def test_a_port_in_use_is_left_out() -> None:
    with socket.socket() as used:
        try:
            used.bind(("127.0.0.1", API_PORT))
        except OSError:
            pass  # another process uses it: the same case
        else:
            used.listen()
        assert free_ports().api > API_PORT
