"""The command line of the modules that generate pages of docs/: writes the pages, or reports those that are stale."""

import argparse
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path


def stale(folder: Path, documents: Mapping[str, str]) -> list[Path]:
    """Return the files in `folder` whose text is not that of `documents`, which has texts by file name."""
    texts = {folder / name: text for name, text in documents.items()}
    return [path for path, text in texts.items() if not path.exists() or path.read_text(encoding="utf-8") != text]


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table in Markdown; a cell has one line."""
    lines = [head, ["---"] * len(head), *([cell.replace("|", "\\|") for cell in row] for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def run(
    module: str, about: str | None, documents: Callable[[], Mapping[str, str]], arguments: Sequence[str] | None
) -> int:
    """Write the stale files. With `--check`, write nothing, name them, and return 1 if there are any.

    `module` is what `python -m` starts, `about` its help, and `documents` returns the texts by file name.
    """
    parser = argparse.ArgumentParser(prog=f"python -m {module}", description=about)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when a file is stale")
    parser.add_argument("--folder", type=Path, default=Path("docs"), help="where the files are (docs)")
    options = parser.parse_args(arguments)
    texts = documents()
    outdated = stale(options.folder, texts)
    for path in outdated:
        if options.check:
            sys.stderr.write(f"{path} is stale; run python -m {module}\n")
        else:
            path.write_text(texts[path.name], encoding="utf-8")
    return 1 if options.check and outdated else 0
