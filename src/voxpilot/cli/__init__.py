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
from voxpilot.cli.text import clean
from voxpilot.errors import VoxPilotError
from voxpilot.settings import load_settings
from voxpilot.settings.live import LiveSettings


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
    parser.set_defaults(act=_serve, host=None, port=None, expose=None)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")

    serve = commands.add_parser("serve", help="run the server (the default)")
    serve.add_argument("--host", help="the address to listen on")
    serve.add_argument("--port", type=int, help="the port to listen on; 0 takes any that is free")
    serve.add_argument(
        "--expose", action="store_true", default=None, help="let --host be an address others can reach"
    )
    serve.set_defaults(act=_serve)

    _add_run(commands.add_parser("run", help="give an agent a prompt, here in the terminal"))

    agents = commands.add_parser("agents", help="list the agents and whether each is installed")
    agents.add_argument("--json", action="store_true", help="print JSON")
    agents.set_defaults(act=_agents)

    doctor = commands.add_parser("doctor", help="look for what is wrong here, and try the agents")
    doctor.add_argument(
        "agents", nargs="*", metavar="AGENT", help="try these; without any, all that are installed"
    )
    doctor.add_argument("--json", action="store_true", help="print each step as a line of JSON")
    doctor.set_defaults(act=_doctor)

    stop = commands.add_parser("stop", help="end the server and all agents")
    stop.set_defaults(act=_stop)

    token = commands.add_parser("token", help="print the owner's token, for scripts")
    token.set_defaults(act=_token)

    link = commands.add_parser("link", help="print a one-time sign-in link of the running server")
    link.add_argument("--host-url", metavar="URL", help="the address by which the other device reaches it")
    link.set_defaults(act=_link)

    demo = commands.add_parser("demo-agent", help="be the built-in demo agent, on standard input and output")
    demo.set_defaults(act=_demo)
    return parser


def _add_run(run: argparse.ArgumentParser) -> None:
    run.description = (
        "Gives an agent a prompt and prints its answer; all else that happens goes to standard error. Uses "
        "the running server, or starts one for as long as it takes. Ctrl-C stops the turn, twice leaves. "
        "Exit code: 0 done, 1 failed or cut off, 130 cancelled."
    )
    run.add_argument("--agent", metavar="ID", help="one of `voxpilot agents`")
    run.add_argument(
        "--assistant",
        action="store_true",
        help="ask the assistant, which gives work to agents (--agent: to this)",
    )
    run.add_argument("--workspace", metavar="DIR", help="the folder to work in (default: this one)")
    run.add_argument("--session", metavar="NAME", help="go on with the chat of this name, or begin it")
    run.add_argument("--json", action="store_true", help="print every event as a line of JSON, nothing else")
    run.add_argument(
        "--answer", choices=("allow", "reject"), help="answer each permission question so, this once"
    )
    run.add_argument(
        "--trust", action="store_true", help="trust the files of the workspace, if nobody said so before"
    )
    run.add_argument("prompt", help="what the agent is to do; `-` reads it from standard input")
    run.set_defaults(act=_run)


def _serve(options: argparse.Namespace) -> int:
    from voxpilot.web import server  # heavy: the web framework and all that is served

    live = LiveSettings(host=options.host, port=options.port, expose=options.expose)
    logging.basicConfig(
        level=live.now.log_level.upper(), format="%(asctime)s %(levelname)s %(name)s: %(message)s"
    )
    server.run(live, lambda line: print(line, flush=True))
    return 0


def _run(options: argparse.Namespace) -> int:
    from voxpilot.cli.run import run  # heavy: the HTTP client

    return run(
        load_settings(),
        agent=options.agent,
        assistant=options.assistant,
        prompt=options.prompt,
        workspace=options.workspace,
        session=options.session,
        answer=options.answer,
        trust=options.trust,
        as_json=options.json,
    )


def _agents(options: argparse.Namespace) -> int:
    from voxpilot.cli.tell import agents  # heavy: the HTTP client

    return agents(LiveSettings(), options.json)


def _doctor(options: argparse.Namespace) -> int:
    from voxpilot.cli.doctor import doctor  # heavy: the event loop

    return doctor(LiveSettings(), options.agents, options.json)


def _stop(options: argparse.Namespace) -> int:
    from voxpilot.cli.stop import stop  # heavy: the HTTP client

    return stop(load_settings(), lambda line: print(line, flush=True))


def _token(options: argparse.Namespace) -> int:
    from voxpilot.cli.tell import token  # heavy: the HTTP client

    return token(load_settings())


def _demo(options: argparse.Namespace) -> int:
    from voxpilot.agents.demo.agent import main as be_the_agent  # only the agent's own process needs it

    be_the_agent()
    return 0


def _link(options: argparse.Namespace) -> int:
    from voxpilot.cli.tell import link  # heavy: the HTTP client

    return link(load_settings(), options.host_url)
