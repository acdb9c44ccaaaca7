"""The bare relay: agents' pipes to clients' sockets with nothing in between.

    python -m bench.relay LINES CLIENTS ORDER...

Prints its port, waits for the clients, starts one writer for each command and passes on their output. A
client asks for `/K` to follow the K-th writer, or for `/` to follow all. Marks of a stream's beginning and
of a writer's end look like the product's, so that the same watcher can read both.
Lives elsewhere: the writers (agent.py), the clients (watcher.py).
"""

from __future__ import annotations

import os
import selectors
import socket
import subprocess
import sys
from pathlib import Path

WRITER = Path(__file__).with_name("agent.py")
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\nevent: ready\n\n"
END = b"event: turn-ended\n\n"


def main(lines: str, clients: int, orders: list[str]) -> None:
    followers: list[list[socket.socket]] = [[] for _ in orders]
    with socket.create_server(("127.0.0.1", 0), backlog=clients) as listener:
        print(listener.getsockname()[1], flush=True)
        for _ in range(clients):
            _admit(listener, followers)
    command = [sys.executable, "-I", "-S", str(WRITER), lines]
    writers = [
        subprocess.Popen([*command, *order.split()], stdout=subprocess.PIPE, bufsize=0) for order in orders
    ]
    with selectors.DefaultSelector() as selector:
        for writer, following in zip(writers, followers, strict=True):
            assert writer.stdout is not None
            selector.register(writer.stdout, selectors.EVENT_READ, following)
        _hand_on(selector)
    for writer in writers:
        writer.wait()


def _admit(listener: socket.socket, followers: list[list[socket.socket]]) -> None:
    client, _ = listener.accept()
    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    asked = client.recv(65536).split(b" ")[1].decode().strip("/")
    for following in followers[int(asked) :][:1] if asked else followers:
        following.append(client)
    client.sendall(HEAD)


def _hand_on(selector: selectors.BaseSelector) -> None:
    while selector.get_map():
        for key, _ in selector.select():
            data = os.read(key.fd, 65536)
            if not data:
                selector.unregister(key.fileobj)
            for client in key.data:
                client.sendall(data or END)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3:])
