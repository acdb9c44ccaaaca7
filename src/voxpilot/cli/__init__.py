"""The `voxpilot` command.

Lives here: its subcommands and options. Lives elsewhere: what they do. Each
command imports what it needs when it is called, so that none of them waits for
libraries that only another one uses.
"""

from __future__ import annotations

import argparse
import gc
import logging
import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from voxpilot import __version__, output, search_path
from voxpilot.errors import VoxPilotError

if TYPE_CHECKING:
    from voxpilot.settings import Settings
    from voxpilot.settings.live import LiveSettings

Act = Callable[[argparse.Namespace], int]


def main(arguments: list[str] | None = None) -> None:
    parser = _parser()
    options = parser.parse_args(arguments)
    search_path.make_absolute(os.environ)
    try:
        sys.exit(options.act(options))
    except VoxPilotError as error:
        from voxpilot.cli.text import clean  # heavy: long patterns, which a start does not need

        print(clean(f"voxpilot: {error.message}\n  {error.hint}".rstrip()), file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="voxpilot", description="One page for all your coding agents.")
    parser.add_argument("--version", action="version", version=f"voxpilot {__version__}")
    parser.set_defaults(act=_serve, host=None, port=None, expose=None)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")

    def command(name: str, act: Act, summary: str) -> argparse.ArgumentParser:
        added = commands.add_parser(name, help=summary)
        added.set_defaults(act=act)
        return added

    _add_serve(command("serve", _serve, "run the server (the default)"))
    _add_run(command("run", _run, "send a prompt to an agent from the terminal"))
    agents = command("agents", _agents, "list agents and whether they are installed")
    agents.add_argument("--json", action="store_true", help="print JSON")
    _add_doctor(command("doctor", _doctor, "check this installation and test the agents"))
    command("stop", _stop, "stop the server and all agents")
    backup = command("backup", _backup, "save everything to one file, even while the server is running")
    backup.add_argument(
        "file",
        nargs="?",
        metavar="FILE",
        help="the file to write (default: a dated file in the current folder)",
    )
    restore = command("restore", _restore, "restore a backup; current data is kept in a separate folder")
    restore.add_argument(
        "file", metavar="FILE", help="a file made by `voxpilot backup`, or a copy of the database"
    )
    _add_rescue(command("rescue", _rescue, "recover what can be read from a damaged data directory"))
    command("token", _token, "print the owner's token, for scripts")
    link = command("link", _link, "print a one-time sign-in link for the running server")
    link.add_argument(
        "--host-url", metavar="URL", help="the address at which the other device reaches the server"
    )
    command("demo-agent", _demo, "run the built-in demo agent on standard input and output")
    return parser


def _add_serve(serve: argparse.ArgumentParser) -> None:
    serve.add_argument("--host", help="the address to listen on")
    serve.add_argument("--port", type=int, help="the port to listen on; 0 picks a free port")
    serve.add_argument(
        "--expose",
        action="store_true",
        default=None,
        help="allow --host to be an address that other machines can reach",
    )


def _add_doctor(doctor: argparse.ArgumentParser) -> None:
    doctor.add_argument(
        "agents", nargs="*", metavar="AGENT", help="agents to test (default: all installed agents)"
    )
    doctor.add_argument("--json", action="store_true", help="print each step as a line of JSON")


def _add_rescue(rescue: argparse.ArgumentParser) -> None:
    rescue.add_argument("--into", metavar="DIR", help="the new data directory (default: next to the old one)")
    rescue.add_argument(
        "--apply", action="store_true", help="switch to it; the damaged files are kept in a separate folder"
    )


def _add_run(run: argparse.ArgumentParser) -> None:
    run.description = (
        "Send a prompt to an agent and print its answer; everything else goes to standard error. Uses the "
        "running server, or starts one for the duration of the command. Press Ctrl-C to stop the turn, "
        "twice to exit. Exit codes: 0 done, 1 failed or interrupted, 130 cancelled, 3 a question could "
        "not be answered (there is no terminal, and neither --answer nor --trust applies)."
    )
    run.add_argument(
        "--agent",
        metavar="ID",
        help="the id of an agent; `voxpilot agents` lists them (default: see the settings)",
    )
    run.add_argument(
        "--assistant",
        action="store_true",
        help="ask the assistant, which delegates work to agents (or to --agent)",
    )
    run.add_argument("--workspace", metavar="DIR", help="the folder to work in (default: the current folder)")
    run.add_argument("--session", metavar="NAME", help="continue the chat with this name, or start it")
    run.add_argument("--json", action="store_true", help="print every event as a line of JSON, nothing else")
    run.add_argument(
        "--answer",
        choices=("allow", "reject"),
        help="answer every permission question this way (never “always”)",
    )
    run.add_argument(
        "--trust", action="store_true", help="trust the files in the folder if they are not trusted yet"
    )
    run.add_argument(
        "--wait", action="store_true", help="without a terminal: wait for answers in the browser"
    )
    run.add_argument("prompt", help="the instruction for the agent; `-` reads it from standard input")


def _serve(options: argparse.Namespace) -> int:
    gc.disable()  # importing leaves no garbage; the server turns it on when it has imported everything
    from voxpilot.web import server  # heavy: the database

    live = _live_settings(host=options.host, port=options.port, expose=options.expose)
    with output.patient():
        logging.basicConfig(
            level=live.now.log_level.upper(), format="%(asctime)s %(levelname)s %(name)s: %(message)s"
        )
        server.run(live, print)
    return 0


def _run(options: argparse.Namespace) -> int:
    from voxpilot.cli.run.command import run  # heavy: the HTTP client

    return run(
        _settings(),
        agent=options.agent,
        assistant=options.assistant,
        prompt=options.prompt,
        workspace=options.workspace,
        session=options.session,
        answer=options.answer,
        trust=options.trust,
        wait=options.wait,
        as_json=options.json,
    )


def _agents(options: argparse.Namespace) -> int:
    from voxpilot.cli.tell import agents  # heavy: the HTTP client

    return agents(_live_settings(), options.json)


def _doctor(options: argparse.Namespace) -> int:
    from voxpilot.cli.doctor import doctor  # heavy: the event loop

    return doctor(_live_settings(), options.agents, options.json)


def _stop(options: argparse.Namespace) -> int:
    from voxpilot.cli.stop import stop  # heavy: the HTTP client

    return stop(_settings(), lambda line: print(line, flush=True))


def _backup(options: argparse.Namespace) -> int:
    from voxpilot.cli.keeping import back_up  # heavy: the database

    live = _live_settings()
    return back_up(live.now, live.path, options.file, lambda line: print(line, flush=True))


def _restore(options: argparse.Namespace) -> int:
    from voxpilot.cli.keeping import restore  # heavy: the database

    return restore(_settings(), options.file, lambda line: print(line, flush=True))


def _rescue(options: argparse.Namespace) -> int:
    from voxpilot.cli.keeping import rescue  # heavy: the database

    return rescue(_settings(), options.into, options.apply, lambda line: print(line, flush=True))


def _token(options: argparse.Namespace) -> int:
    from voxpilot.cli.tell import token  # heavy: the HTTP client

    return token(_settings())


def _demo(options: argparse.Namespace) -> int:
    from voxpilot.agents.demo.agent import main as be_the_agent  # only needed by the agent's own process

    be_the_agent()
    return 0


def _link(options: argparse.Namespace) -> int:
    from voxpilot.cli.tell import link  # heavy: the HTTP client

    return link(_settings(), options.host_url)


def _settings() -> Settings:
    from voxpilot.settings import load_settings  # heavy: pydantic, which `--help` does not need

    return load_settings()


def _live_settings(**overrides: Any) -> LiveSettings:
    from voxpilot.settings.live import LiveSettings  # heavy: pydantic

    return LiveSettings(**overrides)
