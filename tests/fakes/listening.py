"""Makes a program that uses stdin and stdout listen on a port instead.

    python -I -S listening.py PORT [--after SECONDS] COMMAND ARGS...

Takes one connection and becomes the command on it, under the same pid.
"""

import os
import socket
import sys
import time

port, *command = sys.argv[1:]
if command[0] == "--after":
    time.sleep(float(command[1]))
    command = command[2:]
listener = socket.create_server(("127.0.0.1", int(port)))
print("listening", flush=True)
connection, _ = listener.accept()
for number in (0, 1):
    os.dup2(connection.fileno(), number)
os.execv(command[0], command)
