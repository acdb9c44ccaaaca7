"""A second server on the same data folder."""

from __future__ import annotations

from pathlib import Path

from tests.kit.servers.server import ServerProcess


def another(
    server: ServerProcess, folder: Path, port: int | None = None, data: Path | None = None
) -> ServerProcess:
    """A second server with settings of its own, on the same data unless told otherwise."""
    folder.mkdir()
    config = folder / "config.toml"
    config.write_text(server.config.read_text())
    return ServerProcess(data or server.data_dir, config, port, server.env)
