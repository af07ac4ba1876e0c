"""The page that asks for an API token. It works without scripts and loads nothing."""

from html import escape
from pathlib import Path
from string import Template
from typing import Final

LONGEST_NEXT: Final = 4_096
_PAGE: Final = Template(Path(__file__).with_name("login.html").read_text(encoding="utf-8"))


def login_page(next_: str, problem: str | None = None) -> str:
    """Return the HTML of the login. `next_` is the path to return to, `problem` why the last attempt failed."""
    shown = "" if problem is None else f'<p role="alert">{escape(problem)}</p>'
    return _PAGE.substitute(problem=shown, next=escape(next_, quote=True))


def safe_next(given: str | None) -> str:
    r"""Return a path of this dashboard to return to. Anything that a browser could read as another site becomes `/`.

    >>> safe_next("/compare?a=1"), safe_next("//evil.example"), safe_next("https://evil.example"), safe_next("/\\evil")
    ('/compare?a=1', '/', '/', '/')
    """
    path = given or "/"
    if not path.startswith("/") or path.startswith("//") or "\\" in path or len(path) > LONGEST_NEXT:
        return "/"
    return path if path.isprintable() and path.isascii() else "/"
