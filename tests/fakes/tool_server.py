"""A tool server (MCP) with one tool, which returns a word.

    python tool_server.py LOG            over standard input and output
    python tool_server.py LOG PORT       over HTTP on loopback, at /mcp

Every message it gets is written to LOG, one per line.
"""

from __future__ import annotations

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

TOOL, WORD = "tell_the_word", "heliotrope"
Json = dict[str, Any]


def answer(message: Json) -> Json | None:
    """The response; None if no response is expected."""
    if "id" not in message or "method" not in message:
        return None
    return {"jsonrpc": "2.0", "id": message["id"], "result": _result(message)}


def _result(message: Json) -> Json:
    match message["method"]:
        case "initialize":
            return {
                "protocolVersion": (message.get("params") or {}).get("protocolVersion", "2025-06-18"),
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "words", "version": "1"},
            }
        case "tools/list":
            schema = {"type": "object", "properties": {}}
            return {"tools": [{"name": TOOL, "description": "Tells the word.", "inputSchema": schema}]}
        case "tools/call":
            return {"content": [{"type": "text", "text": f"The word is {WORD}."}]}
        case _:
            return {}


def note(log: str, message: Json) -> None:
    with open(log, "a", encoding="utf-8") as file:
        file.write(json.dumps(message) + "\n")


class Handler(BaseHTTPRequestHandler):
    log = ""

    def do_POST(self) -> None:
        message = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))))
        note(self.log, message)
        reply = answer(message)
        self._say(202 if reply is None else 200, b"" if reply is None else json.dumps(reply).encode())

    def do_GET(self) -> None:
        self._say(405, b"")

    def _say(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


def main() -> None:
    log = sys.argv[1]
    if len(sys.argv) > 2:
        Handler.log = log
        ThreadingHTTPServer(("127.0.0.1", int(sys.argv[2])), Handler).serve_forever()
    for line in sys.stdin:
        note(log, message := json.loads(line))
        if (reply := answer(message)) is not None:
            print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main()
