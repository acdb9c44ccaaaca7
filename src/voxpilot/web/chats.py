"""Routes of chats: the list, one chat, its messages and queue, stopping, older blocks.

Lives here: from a request to the chat and back. Lives elsewhere: what the chat
does (runtime/), the streams (stream.py).
"""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request, Response
from fastapi.responses import JSONResponse

from voxpilot.chat.events import Json
from voxpilot.chat.permissions import default_policy
from voxpilot.errors import NotFound
from voxpilot.runtime import changing, moving, options, policy, restarting, turn
from voxpilot.runtime.creating import NewChatWish
from voxpilot.runtime.supervisor import Supervisor
from voxpilot.storage import chats
from voxpilot.storage.event_log import whole_event
from voxpilot.storage.ledger import Ledger
from voxpilot.web.schemas import (
    STORED_EVENT,
    Blocks,
    Cancel,
    ChatChange,
    ChatInfo,
    ChatList,
    MessageEdit,
    MessageTaken,
    NewChat,
    NewMessage,
    OptionChosen,
    OptionTaken,
    Restart,
    Restarted,
    TurnRef,
)

router = APIRouter(prefix="/api/chats", tags=["chats"])


def the_supervisor(request: Request) -> Supervisor:
    supervisor: Supervisor = request.app.state.supervisor
    return supervisor


Sup = Annotated[Supervisor, Depends(the_supervisor)]


@router.get("", response_model=ChatList)
async def list_all(sup: Sup, name: Annotated[str | None, Query(max_length=200)] = None) -> Json:
    return {"chats": await chats.list_chats(sup.house.db, name)}


@router.post("", status_code=201, response_model=ChatInfo)
async def create(body: NewChat, sup: Sup) -> Json:
    """Without a named agent it is the default one's, which may mean to look for programs."""
    agent = body.agent
    if agent is None and body.mode == "agent":
        agent = await asyncio.to_thread(sup.house.catalog.default)
    wish = NewChatWish(
        workspace=body.workspace or sup.default_workspace(agent),
        mode=body.mode,
        agent=agent,
        policy=body.permissions or default_policy(body.mode),
        name=body.name,
        load=body.load,
        directories=tuple(body.directories or ()),
    )
    return await _summary(sup, await sup.create(wish, scoped(body.key, "chats")))


@router.get("/{chat_id}", response_model=ChatInfo)
async def one(chat_id: str, sup: Sup) -> Json:
    return await _summary(sup, chat_id)


@router.patch("/{chat_id}", response_model=ChatInfo)
async def change(chat_id: str, body: ChatChange, sup: Sup) -> Json:
    if body.agent is not None:
        sup.house.catalog.get(body.agent)

    def act(ledger: Ledger, now: float) -> Json:
        # Whatever may be refused comes first: what is refused has changed nothing.
        changing.check(ledger, body.mode, body.agent)
        if body.workspace is not None:
            moving.move(ledger, body.workspace, now)
        changing.change(ledger, now, body.title, body.mode, body.agent)
        if body.permissions is not None:
            policy.change(ledger, body.permissions, now)
        return {}

    await (await sup.chat(chat_id)).do(act)
    return await _summary(sup, chat_id)


@router.delete("/{chat_id}", status_code=204)
async def delete(chat_id: str, sup: Sup) -> None:
    await sup.delete(chat_id)


@router.post("/{chat_id}/messages", status_code=202, response_model=MessageTaken)
async def post_message(chat_id: str, body: NewMessage, sup: Sup) -> Json:
    def act(ledger: Ledger, now: float) -> Json:
        posted = turn.post(ledger, body.text, tuple(body.attachments), now)
        return {"message_id": posted.message_id, "turn": posted.id}

    return await (await sup.chat(chat_id)).do(act, scoped(body.key, chat_id, "messages"))


@router.patch("/{chat_id}/queue/{message_id}", response_model=MessageTaken)
async def edit_queued(chat_id: str, message_id: str, body: MessageEdit, sup: Sup) -> Json:
    def act(ledger: Ledger, now: float) -> Json:
        edited = turn.edit(ledger, message_id, body.text, now)
        return {"message_id": edited.message_id, "turn": edited.id}

    return await (await sup.chat(chat_id)).do(act, scoped(body.key, chat_id, "queue", message_id))


@router.delete("/{chat_id}/queue/{message_id}", status_code=204)
async def remove_queued(chat_id: str, message_id: str, sup: Sup) -> None:
    def act(ledger: Ledger, now: float) -> Json:
        turn.remove(ledger, message_id, now)
        return {}

    await (await sup.chat(chat_id)).do(act)


@router.post("/{chat_id}/cancel", status_code=202, response_model=TurnRef)
async def cancel(chat_id: str, sup: Sup, body: Cancel | None = None) -> Json:
    wanted = body.turn if body else None

    def act(ledger: Ledger, now: float) -> Json:
        return {"turn": turn.cancel(ledger, now, wanted).id}

    key = scoped(body.key, chat_id, "cancel") if body else None
    return await (await sup.chat(chat_id)).do(act, key)


@router.post("/{chat_id}/restart", status_code=202, response_model=Restarted)
async def restart_agent(chat_id: str, body: Restart, sup: Sup) -> Json:
    def act(ledger: Ledger, now: float) -> Json:
        return restarting.restart(ledger, body.reload, now)

    return await (await sup.chat(chat_id)).do(act, scoped(body.key, chat_id, "restart"))


@router.post("/{chat_id}/options", response_model=OptionTaken)
async def choose_option(chat_id: str, body: OptionChosen, sup: Sup) -> Json:
    def act(ledger: Ledger, now: float) -> Json:
        options.choose(ledger, body.session_name, body.id, body.value, now)
        return {"id": body.id, "value": body.value}

    return await (await sup.chat(chat_id)).do(act, scoped(body.key, chat_id, "options"))


@router.get("/{chat_id}/blocks", response_model=Blocks)
async def older_blocks(
    chat_id: str,
    sup: Sup,
    before: Annotated[int, Query(ge=0, le=2**62)] = 2**62,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
) -> Json:
    return {"blocks": await (await sup.chat(chat_id)).older_blocks(before, limit)}


@router.get("/{chat_id}/events/{seq}", response_class=JSONResponse, responses=STORED_EVENT)
async def event(chat_id: str, seq: int, sup: Sup) -> Response:
    found = await whole_event(sup.house.db, chat_id, seq) if 0 <= seq < 2**62 else None
    if found is None:
        raise NotFound("There is no such event.")
    return Response(found.body, media_type="application/json")


async def _summary(sup: Supervisor, chat_id: str) -> dict[str, Any]:
    found = await chats.summary(sup.house.db, chat_id)
    if found is None:
        raise NotFound("There is no such chat.", "It may have been deleted.")
    return found


def scoped(key: str | None, *where: str) -> str | None:
    """A key counts for one action on one thing: the same word elsewhere is another key."""
    return "/".join((*where, key)) if key else None
