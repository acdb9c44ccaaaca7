"""The `voxpilot` command.

Lives here: its words and options. Lives elsewhere: what they do. Each command
imports what it needs when it is called, for a server must not wait for the
libraries of the others, nor they for the server's.
"""

from __future__ import annotations

import argparse
import logging
import sys

from voxpilot import __version__
from voxpilot.cli_text import clean
from voxpilot.errors import VoxPilotError
from voxpilot.settings import load_settings


def main(arguments: list[str] | None = None) -> None:
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        sys.exit(options.act(options))
    except VoxPilotError as error:
        print(clean(f"voxpilot: {error.message}\n  {error.hint}".rstrip()), file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="voxpilot", description="One page for all your coding agents.")
    parser.add_argument("--version", action="version", version=f"voxpilot {__version__}")
    parser.set_defaults(act=_serve, host=None, port=None)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")

    serve = commands.add_parser("serve", help="run the server (the default)")
    serve.add_argument("--host", help="the address to listen on")
    serve.add_argument("--port", type=int, help="the port to listen on; 0 takes any that is free")
    serve.set_defaults(act=_serve)

    agents = commands.add_parser("agents", help="list the agents and whether each is installed")
    agents.add_argument("--json", action="store_true", help="print JSON")
    agents.set_defaults(act=_agents)

    stop = commands.add_parser("stop", help="end the server and all agents")
    stop.set_defaults(act=_stop)

    token = commands.add_parser("token", help="print the owner's token, for scripts")
    token.set_defaults(act=_token)

    link = commands.add_parser("link", help="print a one-time sign-in link of the running server")
    link.add_argument("--host-url", metavar="URL", help="the address by which the other device reaches it")
    link.set_defaults(act=_link)
    return parser


def _serve(options: argparse.Namespace) -> int:
    from voxpilot.web import server  # heavy: the web framework and all that is served

    settings = load_settings(host=options.host, port=options.port)
    logging.basicConfig(
        level=settings.log_level.upper(), format="%(asctime)s %(levelname)s %(name)s: %(message)s"
    )
    server.run(settings, lambda line: print(line, flush=True))
    return 0


def _agents(options: argparse.Namespace) -> int:
    from voxpilot.cli_tell import agents  # heavy: the HTTP client

    return agents(load_settings(), options.json)


def _stop(options: argparse.Namespace) -> int:
    from voxpilot.cli_stop import stop  # heavy: the HTTP client

    return stop(load_settings(), lambda line: print(line, flush=True))


def _token(options: argparse.Namespace) -> int:
    from voxpilot.cli_tell import token  # heavy: the HTTP client

    return token(load_settings())


def _link(options: argparse.Namespace) -> int:
    from voxpilot.cli_tell import link  # heavy: the HTTP client

    return link(load_settings(), options.host_url)
