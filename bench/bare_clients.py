"""Bare clients of the scripted model and of the agent, with nothing of ours in between.

    python -m bench.bare_clients model URL WORDS
    python -m bench.bare_clients agent LINES

Prints JSON: the time from the request to the first words, and for a model the speed of the others. Lives
elsewhere: the same through the server (assistant.py, first_words.py).
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlsplit

from bench.agent import SESSION
from bench.stage import AGENT


def read_model(url: str, words: str) -> dict[str, float]:
    """Ask for this many words and read them as they arrive."""
    address = urlsplit(url)
    assert address.hostname is not None
    connection = HTTPConnection(address.hostname, address.port)
    message = {"role": "user", "content": f"slow {words} 0"}
    body = {"model": "fake-model", "stream": True, "messages": [message]}
    used, asked = time.process_time(), time.monotonic()
    connection.request("POST", f"{address.path}/chat/completions", json.dumps(body))
    came, first = 0, 0.0
    for line in connection.getresponse():
        if not line.startswith(b"data: {"):
            continue
        delta = json.loads(line[6:])["choices"]
        if delta and delta[0]["delta"].get("content"):
            first = first or time.monotonic()
            came += len(delta[0]["delta"]["content"].split())
    seconds = time.monotonic() - first
    used = time.process_time() - used
    return {"first": first - asked, "seconds": seconds, "processor_seconds": used, "words": came}


def drive_agent(lines: str) -> dict[str, float]:
    """Start the agent and prompt it twice."""
    began = time.monotonic()
    command = [sys.executable, "-I", "-S", str(AGENT), lines]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as agent:
        _request(agent, "initialize", {"protocolVersion": 1, "clientCapabilities": {}})
        _request(agent, "session/new", {"cwd": "/", "mcpServers": []})
        cold = _prompt(agent) - began
        began = time.monotonic()
        warm = _prompt(agent) - began
        assert agent.stdin is not None
        agent.stdin.close()
    return {"cold": cold, "warm": warm}


def _prompt(agent: subprocess.Popen[bytes]) -> float:
    """When the first update arrived."""
    return _request(
        agent, "session/prompt", {"sessionId": SESSION, "prompt": [{"type": "text", "text": "say"}]}
    )


def _request(agent: subprocess.Popen[bytes], method: str, params: dict[str, Any]) -> float:
    assert agent.stdin is not None
    assert agent.stdout is not None
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    agent.stdin.write(json.dumps(message).encode() + b"\n")
    agent.stdin.flush()
    answered = json.loads(agent.stdout.readline())
    first = time.monotonic()
    while "id" not in answered:
        answered = json.loads(agent.stdout.readline())
    return first


if __name__ == "__main__":
    what, *args = sys.argv[1:]
    json.dump(read_model(*args) if what == "model" else drive_agent(*args), sys.stdout)
