"""`driftd init`: writes the configuration, a token and a key for a first product."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer
from pydantic import BaseModel

from monitor.cli.init.configuration import configuration, set_name
from monitor.cli.init.found import find_endpoint, free_ports, product_name, timezone_name
from monitor.cli.options import DEFAULT_CONFIG, AsJson
from monitor.cli.terminal.output import print_json, print_line
from monitor.config.load import load
from monitor.domain.api_token import new_text
from monitor.errors import UsageError
from replay.evalsets.sealing import key_text, new_key

TOKEN_FILE = "secrets/token"  # noqa: S105 - a path
_IGNORE = "secrets/.gitignore"


class InitDocument(BaseModel):
    """What `driftd init` wrote and found. `base_url` and `model` are null if no model endpoint is known."""

    folder: str
    files: list[str]
    name: str
    set: str
    base_url: str | None
    model: str | None
    timezone: str
    api_port: int
    otlp_port: int
    otlp_grpc_port: int
    next: list[str]


def init(
    folder: Annotated[Path, typer.Argument(help="Folder of the new files. It is created.")] = Path(),
    *,
    name: Annotated[
        str | None, typer.Option("--name", help="Name of the product. The default is the name of the folder.")
    ] = None,
    base_url: Annotated[
        str | None, typer.Option("--base-url", help="Address of the model. The default is OPENAI_BASE_URL.")
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            "--model", help="Name of the model. The default is OPENAI_MODEL, or the only model at the address."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write driftd.yaml, a token and a key for a first product.

    Nothing is asked: the name, the model endpoint, free ports and the time zone are found out. Only the current user
    can read the files. Existing files are never replaced.
    """
    home = folder.resolve()
    product = name or product_name(home)
    if product != product_name(Path(product)):
        raise UsageError(f"--name {product!r}: use at most 40 lower-case letters, digits and `-`")
    endpoint = find_endpoint(base_url, model, os.environ)
    ports, timezone, key_file = free_ports(), timezone_name(), f"secrets/{product}.key"
    text = configuration(
        name=product, endpoint=endpoint, ports=ports, timezone=timezone, token_file=TOKEN_FILE, key_file=key_file
    )
    secret = {TOKEN_FILE: new_text() + "\n", key_file: key_text(new_key()) + "\n"}
    _write(folder, {**secret, _IGNORE: "*\n", str(DEFAULT_CONFIG): text})
    load(folder / DEFAULT_CONFIG, os.environ)  # what was written must be valid
    document = InitDocument(
        folder=str(home),
        files=[str(DEFAULT_CONFIG), *secret, _IGNORE],
        name=product,
        set=set_name(product),
        base_url=endpoint and endpoint.base_url,
        model=endpoint and endpoint.model,
        timezone=timezone,
        api_port=ports.api,
        otlp_port=ports.otlp,
        otlp_grpc_port=ports.otlp_grpc,
        next=[
            f"driftd check --token-file {TOKEN_FILE}",
            "driftd serve --dashboard",
            "driftd sets new cases.yaml",
        ],
    )
    if as_json:
        print_json(document)
    else:
        _print(document, folder)


def _write(folder: Path, files: Mapping[str, str]) -> None:
    """Write all files, or none if one exists. The configuration is the last one."""
    if found := [name for name in files if os.path.lexists(folder / name)]:
        raise UsageError(f"{folder / found[0]} exists already; choose another folder; files are never replaced")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / TOKEN_FILE).parent.mkdir(mode=0o700, exist_ok=True)
        for name, content in files.items():
            descriptor = os.open(folder / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write(content)
    except OSError as error:
        raise UsageError(f"{error.filename} cannot be written: {error.strerror}") from None


def _print(document: InitDocument, folder: Path) -> None:
    print_line(f"wrote {', '.join(document.files)} in {document.folder}")
    if document.model is None:
        print_line("no model endpoint is known: complete deployments and targets in driftd.yaml, or set --base-url")
    else:
        print_line(f"deployment {document.name}: model {document.model} at {document.base_url}")
    where = "" if folder == Path() else f" (in {document.folder})"
    print_line(f"next{where}:")
    for command in document.next:
        print_line(f"  {command}")
