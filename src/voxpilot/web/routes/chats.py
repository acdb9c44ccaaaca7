"""Routes for chats: the list, one chat, its messages and queue, stopping, older blocks.

Lives here: from a request to the chat and back. Lives elsewhere: what the chat
does (runtime/), the streams (stream.py).
"""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from pydantic import Field
from starlette.requests import Request
from starlette.responses import Response

from voxpilot.assistant.providers import wish_for
from voxpilot.chat.events import Json
from voxpilot.chat.permissions.decide import default_policy
from voxpilot.errors import Conflict, NotFound
from voxpilot.runtime.commands import assistant_choices, edit_chat, move_chat
from voxpilot.runtime.commands.choose_option import category_of, choose
from voxpilot.runtime.commands.create_chat import ChatSpec, real_folder, who_answers
from voxpilot.runtime.commands.restart_agent import restart
from voxpilot.runtime.readers.shown import TakenOver
from voxpilot.runtime.step import policy
from voxpilot.runtime.supervisor import Supervisor
from voxpilot.runtime.turns import handover, turn
from voxpilot.storage.chats import chat_list
from voxpilot.storage.chats.event_log import whole_event
from voxpilot.storage.chats.ledger import Ledger
from voxpilot.web.door.loosening import Allowed
from voxpilot.web.routing.endpoint import From
from voxpilot.web.routing.router import Router
from voxpilot.web.schemas.bodies import (
    STORED_EVENT,
    Blocks,
    Cancel,
    ChatChange,
    ChatInfo,
    ChatList,
    HandoverChange,
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

router = Router("/api/chats", "chats")


def the_supervisor(request: Request) -> Supervisor:
    supervisor: Supervisor = request.app.state.supervisor
    return supervisor


Sup = Annotated[Supervisor, From(the_supervisor)]


@router.get("", model=ChatList)
async def list_all(
    sup: Sup,
    name: Annotated[str | None, Field(max_length=200)] = None,
    search: Annotated[str | None, Field(max_length=200)] = None,
    before: Annotated[str | None, Field(max_length=100)] = None,
    limit: Annotated[int, Field(ge=1, le=1000)] = chat_list.PAGE,
) -> Json:
    """One page of the list, newest first; pass `next` from the response as `before` to get the next page.

    The first page also contains every chat that is working or needs a person, however old.
    """
    if name is search is before is None and limit == chat_list.PAGE:
        return (await chat_list.first_page(sup.services.db)).told()
    return (await chat_list.list_chats(sup.services.db, name, search, before, limit)).told()


@router.post("", status=201, model=ChatInfo)
async def create(body: NewChat, sup: Sup, limits: Allowed) -> Json:
    """The settings decide what the request leaves out: the mode, and the agent."""
    limits.check("turn on auto-approve for a chat", body.permissions == "auto")
    wished = "agent" if body.mode is None and body.load is not None else body.mode
    mode, agent = await asyncio.to_thread(who_answers, sup.services.catalog, wished, body.agent)
    usual = default_policy(mode) if limits.may_loosen else "ask"
    workspace = body.workspace
    if not workspace:
        workspace = await asyncio.to_thread(sup.default_workspace, agent)
    spec = ChatSpec(
        workspace=workspace,
        mode=mode,
        agent=agent,
        policy=body.permissions or usual,
        name=body.name,
        load=body.load,
        directories=tuple(body.directories or ()),
    )
    return await _summary(sup, await sup.create(spec, scoped(body.key, "chats")))


@router.get("/{chat_id}", model=ChatInfo)
async def one(chat_id: str, sup: Sup) -> Json:
    return await _summary(sup, chat_id)


@router.patch("/{chat_id}", model=ChatInfo)
async def change(chat_id: str, body: ChatChange, sup: Sup, limits: Allowed) -> Json:
    limits.check("turn on auto-approve for a chat", body.permissions == "auto")
    if body.agent is not None:
        sup.services.catalog.get(body.agent)
    assistant_choices.check_tools(body.tools_off or ())
    model = None if body.model is None else wish_for(sup.services.settings.assistant, body.model.strip())
    # In a thread: the step itself may not wait for a slow disk.
    folder = None if body.workspace is None else await real_folder(body.workspace)

    def act(ledger: Ledger, now: float) -> Json:
        # Everything that can be refused comes first, so a refused request changes nothing.
        edit_chat.check(ledger, body.mode, body.agent)
        moves = (body.workspace, body.mode, body.agent) != (None, None, None)
        limits.check("move a chat with auto-approve", moves and ledger.chat.policy != "ask")
        switches_on = assistant_choices.switches_on(ledger, body.tools_off)
        limits.check("switch on a tool of the assistant", switches_on)
        if folder is not None:
            move_chat.move(ledger, folder, now)
        edit_chat.change(ledger, now, body.title, body.mode, body.agent)
        if body.permissions is not None:
            policy.change(ledger, body.permissions, now)
        assistant_choices.change(ledger, model, body.tools_off, now)
        return {}

    await (await sup.chat(chat_id)).do(act)
    return await _summary(sup, chat_id)


@router.patch("/{chat_id}/handover", model=ChatInfo)
async def change_handover(chat_id: str, body: HandoverChange, sup: Sup) -> Json:
    """Change what the next message takes along for the one who answers it; 409 if there is nothing."""

    def act(ledger: Ledger, now: float) -> Json:
        handover.edit(ledger, body.text, body.left_out, now)
        return {}

    await (await sup.chat(chat_id)).do(act)
    return await _summary(sup, chat_id)


@router.delete("/{chat_id}", status=204)
async def delete(chat_id: str, sup: Sup) -> None:
    await sup.delete(chat_id)


@router.post("/{chat_id}/messages", status=202, model=MessageTaken)
async def post_message(chat_id: str, body: NewMessage, sup: Sup) -> Json:
    def act(ledger: Ledger, now: float) -> Json:
        turn.check_room_for_all(sup.held_bytes(), body.text, tuple(body.attachments))
        posted = turn.post(ledger, body.text, tuple(body.attachments), now)
        return {"message_id": posted.message_id, "turn": posted.id}

    return await (await sup.chat(chat_id)).do(act, scoped(body.key, chat_id, "messages"))


@router.patch("/{chat_id}/queue/{message_id}", model=MessageTaken)
async def edit_queued(chat_id: str, message_id: str, body: MessageEdit, sup: Sup) -> Json:
    def act(ledger: Ledger, now: float) -> Json:
        edited = turn.edit(ledger, message_id, body.text, now)
        return {"message_id": edited.message_id, "turn": edited.id}

    return await (await sup.chat(chat_id)).do(act, scoped(body.key, chat_id, "queue", message_id))


@router.delete("/{chat_id}/queue/{message_id}", status=204)
async def remove_queued(chat_id: str, message_id: str, sup: Sup) -> None:
    def act(ledger: Ledger, now: float) -> Json:
        turn.remove(ledger, message_id, now)
        return {}

    await (await sup.chat(chat_id)).do(act)


@router.post("/{chat_id}/cancel", status=202, model=TurnRef)
async def cancel(chat_id: str, sup: Sup, body: Cancel | None = None) -> Json:
    # If no turn is named, stop the one that is shown as running when the request arrives.
    chat = await sup.chat(chat_id)
    wanted, refused = body.turn if body else None, None
    if wanted is None:
        try:
            wanted = chat.shown.meant(sup.services.clock.now())
        except Conflict as error:
            refused = error

    def act(ledger: Ledger, now: float) -> Json:
        if isinstance(
            refused, TakenOver
        ):  # stored under its key: a repeated request must not stop a later turn
            return {"refused": refused.message, "hint": refused.hint}
        if refused is not None:
            raise refused
        return {"turn": turn.cancel(ledger, now, wanted).id}

    reply = await chat.do(act, scoped(body.key, chat_id, "cancel") if body else None)
    if "refused" in reply:
        raise TakenOver(reply["refused"], reply["hint"])
    return reply


@router.post("/{chat_id}/restart", status=202, model=Restarted)
async def restart_agent(chat_id: str, body: Restart, sup: Sup) -> Json:
    def act(ledger: Ledger, now: float) -> Json:
        return restart(ledger, body.reload, now)

    return await (await sup.chat(chat_id)).do(act, scoped(body.key, chat_id, "restart"))


@router.post("/{chat_id}/options", model=OptionTaken)
async def choose_option(chat_id: str, body: OptionChosen, sup: Sup, limits: Allowed) -> Json:
    """An agent's mode may change what it asks about, so a script may choose only its model."""

    def act(ledger: Ledger, now: float) -> Json:
        is_model = category_of(ledger, body.session_name, body.id) == "model"
        limits.check("change an agent's options", not is_model)
        choose(ledger, body.session_name, body.id, body.value, now)
        return {"id": body.id, "value": body.value}

    return await (await sup.chat(chat_id)).do(act, scoped(body.key, chat_id, "options"))


@router.get("/{chat_id}/blocks", model=Blocks)
async def older_blocks(
    chat_id: str,
    sup: Sup,
    before: Annotated[int, Field(ge=0, le=2**62)] = 2**62,
    limit: Annotated[int, Field(ge=1, le=500)] = 50,
) -> Json:
    return {"blocks": await (await sup.chat(chat_id)).older_blocks(before, limit)}


@router.get("/{chat_id}/events/{seq}", described=STORED_EVENT)
async def event(chat_id: str, seq: int, sup: Sup) -> Response:
    found = await whole_event(sup.services.db, chat_id, seq) if 0 <= seq < 2**62 else None
    if found is None:
        raise NotFound("Event not found.")
    return Response(found.body, media_type="application/json")


async def _summary(sup: Supervisor, chat_id: str) -> dict[str, Any]:
    found = await chat_list.summary(sup.services.db, chat_id)
    if found is None:
        raise NotFound("Chat not found.", "It may have been deleted.")
    return found


def scoped(key: str | None, *where: str) -> str | None:
    """A key applies to one action on one object: the same string elsewhere is a different key."""
    return "/".join((*where, key)) if key else None
