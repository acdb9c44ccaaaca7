"""The page: files from the front end's build, and one document for every address.

Lives here: reading the build, and how long a browser may cache it. Files under /assets are named after their
contents, so they are cached forever; everything else is requested again each time (door/headers.py). Lives
elsewhere: the page's sources (frontend/), the policies every response carries (door/guard.py).
"""

from __future__ import annotations

import gzip
import mimetypes
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

STATIC = Path(__file__).parents[2] / "static"
_KINDS = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".json": "application/json",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
}
_PACKED = (".html", ".js", ".css", ".svg", ".json", ".webmanifest")
_FOR_GOOD = "public, max-age=31536000, immutable"
_NOT_BUILT = (
    b"<!doctype html><meta charset=utf-8><title>VoxPilot</title>"
    b"<p>The page is not built. Run <code>make install</code> in the project folder.</p>"
)


@dataclass(frozen=True)
class File:
    """One file of the build."""

    name: str
    content: bytes

    @property
    def kind(self) -> str:
        suffix = Path(self.name).suffix
        return _KINDS.get(suffix) or mimetypes.guess_type(self.name)[0] or "application/octet-stream"

    @cached_property
    def packed(self) -> bytes | None:
        """Its content compressed, if that is worth it."""
        if not self.name.endswith(_PACKED) or len(self.content) < 1_000:
            return None
        return gzip.compress(self.content, 6, mtime=0)


class Pages:
    """All files of the build, in memory, so no path can lead outside."""

    def __init__(self, files: Mapping[str, File]) -> None:
        self._files = files
        self._document = files.get("index.html") or File("index.html", _NOT_BUILT)

    def find(self, path: str) -> File | None:
        """The file at a path; if there is none, the document, which decides what to show."""
        if found := self._files.get(path):
            return found
        return None if path.startswith("assets/") else self._document


def read_pages(folder: Path = STATIC) -> Pages:
    return Pages(
        {
            name: File(name, path.read_bytes())
            for path in sorted(folder.rglob("*"))
            if path.is_file() and not (name := path.relative_to(folder).as_posix()).startswith(".")
        }
    )


def install(api: Starlette, pages: Pages) -> None:
    """Answer every request that no route matches, except under /api."""
    not_found = api.router.default

    async def page(scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["path"].lstrip("/")
        is_api = path == "api" or path.startswith("api/")
        file = None if is_api or scope["method"] not in ("GET", "HEAD") else pages.find(path)
        if file is None:
            await not_found(scope, receive, send)
            return
        takes_gzip = "gzip" in Headers(scope=scope).get("accept-encoding", "")
        await _response(file, takes_gzip)(scope, receive, send)

    api.router.default = page


def _response(file: File, takes_gzip: bool) -> Response:
    headers = {"Cache-Control": _FOR_GOOD} if file.name.startswith("assets/") else {}
    if file.packed is None:
        return Response(file.content, media_type=file.kind, headers=headers)
    headers["Vary"] = "Accept-Encoding"
    if not takes_gzip:
        return Response(file.content, media_type=file.kind, headers=headers)
    return Response(file.packed, media_type=file.kind, headers=headers | {"Content-Encoding": "gzip"})
