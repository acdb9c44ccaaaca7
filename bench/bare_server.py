"""The smallest server with our libraries: one route on Starlette, uvicorn and uvloop.

    python -m bench.bare_server PORT

Lives here: the baseline for start-up and idle memory.
"""

from __future__ import annotations

import sys

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route


async def health(request: Request) -> JSONResponse:
    return JSONResponse({"status": "ok"})


if __name__ == "__main__":
    app = Starlette(routes=[Route("/api/health", health), Route("/api/chats", health)])
    uvicorn.run(app, port=int(sys.argv[1]), log_level="critical", loop="uvloop", http="httptools", ws="none")
