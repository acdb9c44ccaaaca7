"""The page's files: one document for every address, files that are cached forever, and nothing else."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from tests.kit.clients.bare import is_error
from tests.kit.servers.shared_server import SharedServer
from voxpilot.web.routes.pages import STATIC, read_pages


@pytest.mark.skipif(not STATIC.is_dir(), reason="the page is not built")
async def test_every_address_gets_the_document_and_must_ask_again(shared_server: SharedServer) -> None:
    document = (STATIC / "index.html").read_bytes()
    for path in ("/", "/chat/0123", "/settings/agents", "/no/such/place.html", "/chat/a.b"):
        reply = await shared_server.ask(f"GET {path}")
        assert (reply.status, reply.body) == (200, document)
        assert reply.one("content-type") == "text/html; charset=utf-8"
        assert reply.one("cache-control") == "no-cache"


@pytest.mark.skipif(not STATIC.is_dir(), reason="the page is not built")
async def test_files_are_kept_for_good_and_sent_small(shared_server: SharedServer) -> None:
    for path in (STATIC / "assets").iterdir():
        plain = await shared_server.ask(f"GET /assets/{path.name}")
        assert (plain.status, plain.body) == (200, path.read_bytes())
        assert plain.one("cache-control") == "public, max-age=31536000, immutable"
        packed = await shared_server.ask(f"GET /assets/{path.name}", ("Accept-Encoding", "gzip, br"))
        if packed.all("content-encoding"):
            assert packed.one("vary") == "Accept-Encoding"
            assert gzip.decompress(packed.body) == path.read_bytes()
            assert len(packed.body) < len(plain.body)


async def test_a_file_that_is_gone_is_not_found_so_that_an_old_page_notices(
    shared_server: SharedServer,
) -> None:
    reply = await shared_server.ask("GET /assets/index-old.js")
    assert is_error(reply, 404)
    assert reply.one("cache-control") == "no-cache"


@pytest.mark.parametrize(
    "path",
    ["/../../settings.py", "/assets/../../settings.py", "/assets/..%2f..%2fsettings.py", "//etc/passwd",
     "/.stamp", "/assets/%00", "/index.html/../../settings.py"],
)  # fmt: skip
async def test_no_path_leads_out_of_the_build(shared_server: SharedServer, path: str) -> None:
    document = (await shared_server.ask("GET /")).body
    reply = await shared_server.ask(f"GET {path}")
    assert reply.body == document or reply.status in (400, 403, 404)


async def test_pages_can_only_be_read(shared_server: SharedServer) -> None:
    head = await shared_server.ask("HEAD /chat/0123")
    assert (head.status, head.body) == (200, b"")
    for method in ("POST", "PUT", "DELETE"):
        assert is_error(await shared_server.ask(f"{method} /chat/0123"), 405)


def test_without_a_build_the_document_says_so(tmp_path: Path) -> None:
    document = read_pages(tmp_path / "nothing").find("")
    assert document is not None
    assert b"not built" in document.content
