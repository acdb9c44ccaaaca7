"""The ways a server leaves, and agents nobody needs: who goes, who stays, what the next start finds.

What needs processes: tests/faults/agents/test_leaving.py.
"""

from __future__ import annotations

import pytest

from tests.kit.clients.client import Api
from tests.kit.servers.running import StartServer

pytestmark = pytest.mark.in_memory


@pytest.mark.parametrize(
    ("env", "seconds"),
    [
        ({}, 1800),
        ({"COPILOT_CONNECTION_TTL": "90"}, 90),
        ({"COPILOT_CONNECTION_TTL": "2h", "VOXPILOT_COPILOT_CONNECTION_TTL": "90s"}, 90),
        ({"VOXPILOT_COPILOT_CONNECTION_TTL": "30m"}, 1800),
        ({"COPILOT_CONNECTION_TTL": "0"}, 0),
    ],
)
async def test_the_idle_time_is_set_under_both_names(
    start_server: StartServer, env: dict[str, str], seconds: float
) -> None:
    """R13, R183, C7: seconds, or with a unit; the longer name wins."""
    server = await start_server(env=env)
    async with Api(server.url, server.token) as api:
        assert (await api.settings())["values"]["copilot_connection_ttl"] == seconds
