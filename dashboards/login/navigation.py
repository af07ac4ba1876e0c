"""Which requests of a browser open a page."""

from typing import Final

from starlette.requests import Request

SERVED: Final = ("/_stcore/", "/static/", "/media/", "/component/", "/auth/", "/oauth2callback", "/app/static/")


def opens_page(request: Request) -> bool:
    """Return whether a person opens a page with this request, and not a script, a picture or a probe."""
    return (
        request.method == "GET"
        and "text/html" in request.headers.get("accept", "")
        and not request.url.path.startswith(SERVED)
    )


def path_of(request: Request) -> str:
    """Return path and query of a request, as a link on this dashboard."""
    return request.url.path + (f"?{request.url.query}" if request.url.query else "")
