"""The names under which the server may be called.

Lives here: which they are, and the name in a Host header. Lives elsewhere: refusing other names (guard.py).
"""

from __future__ import annotations

from urllib.parse import urlsplit

from voxpilot.settings import Settings

OWN_HOSTS = frozenset({"127.0.0.1", "localhost", "voxpilot.localhost", "::1"})


def allowed_hosts(settings: Settings) -> frozenset[str]:
    named = (settings.host, *settings.allowed_hosts)
    # A person may include the port; an IPv6 address without brackets is not host and port.
    return OWN_HOSTS | {host_name(host) or host.lower() for host in named}


def host_name(host: str) -> str | None:
    try:
        parts = urlsplit(f"//{host}")
        _ = parts.port
    except ValueError:
        return None
    plain = parts.netloc == host and "@" not in host and not parts.path
    return parts.hostname if plain else None
