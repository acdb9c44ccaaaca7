"""Who may loosen security.

An agent runs as the same user as the server and can read the owner's token. So
while a confirmed browser is signed in, a script with the token, or a browser
that nobody has confirmed, may read and send messages, but not loosen security. Lives here: refusing it. Lives
elsewhere: which browsers are confirmed (access.py), what loosens security (the routes: settings, agents,
chats, questions, auth).
"""

from __future__ import annotations

from typing import Annotated

from starlette.requests import Request

from voxpilot.errors import VoxPilotError
from voxpilot.values import dataclass
from voxpilot.web.door.access import Access, Visitor
from voxpilot.web.routing.endpoint import From


class NeedsBrowser(VoxPilotError):
    """Only a person in a confirmed browser may do this."""

    code = "needs-browser"


@dataclass(frozen=True, slots=True)
class Limits:
    """Why the visitor of a request may not do this."""

    access: Access
    visitor: Visitor

    @property
    def may_loosen(self) -> bool:
        return self.access.may_loosen(self.visitor)

    def check(self, what: str, is_loosening: bool = True) -> None:
        """Refuse something that loosens security, unless the visitor may do it. `what` completes "A script
        cannot …"."""
        if is_loosening and not self.may_loosen:
            raise self.refusal(what)

    def refusal(self, what: str, hint: str = "") -> NeedsBrowser:
        if self.visitor.device is None:
            message = f"A script cannot {what} while a confirmed browser is signed in."
            return NeedsBrowser(message, hint or "Do it in the browser.")
        message = f"This browser is not confirmed yet, so it cannot {what}."
        return NeedsBrowser(message, hint or "Confirm it in another browser under Settings → Devices.")


def the_limits(request: Request) -> Limits:
    return Limits(request.app.state.access, request.scope["visitor"])


Allowed = Annotated[Limits, From(the_limits)]
