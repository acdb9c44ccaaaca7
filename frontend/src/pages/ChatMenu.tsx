// What can be done with a chat as a whole: see its plan and changes, give it a name, delete it.
import { createSignal, type JSX } from "solid-js";

import { deleteChat, navigate, pathTo, renameChat, type ChatState } from "../state";
import type { MenuItem } from "../components/controls/Menu";
import { Dialog } from "../components/controls/Dialog";
import { EditIcon, PanelIcon, TrashIcon } from "../components/icons";

export function createChatMenu(state: ChatState, onPanel: () => void): { items: readonly MenuItem[]; dialogs: JSX.Element } {
  const [shown, setShown] = createSignal<"rename" | "delete">();
  const close = () => setShown(undefined);
  return {
    items: [
      { label: "Plan and changes", icon: PanelIcon, act: onPanel },
      { label: "Rename", icon: EditIcon, act: () => setShown("rename") },
      { label: "Delete", icon: TrashIcon, isGrave: true, act: () => setShown("delete") },
    ],
    dialogs: (
      <>
        <Dialog isOpen={shown() === "rename"} title="Rename" onClose={close}>
          <Rename state={state} onDone={close} />
        </Dialog>
        <Dialog isOpen={shown() === "delete"} title="Delete this chat?" onClose={close}>
          <Delete state={state} onDone={close} />
        </Dialog>
      </>
    ),
  };
}

function Rename(props: { state: ChatState; onDone: () => void }): JSX.Element {
  const [title, setTitle] = createSignal(props.state.head.title ?? "");
  const attempt = createAttempt(props.onDone);
  return (
    <form
      class="dialog-body"
      onSubmit={(event) => {
        event.preventDefault();
        if (title().trim()) void attempt.run(renameChat(props.state.id, title().trim()));
      }}
    >
      <label class="field">
        <span class="field-label">Name</span>
        <input
          class="input"
          autofocus
          maxlength="500"
          value={title()}
          onInput={(event) => setTitle(event.currentTarget.value)}
        />
      </label>
      {attempt.problem()}
      <div class="dialog-foot">
        <button type="button" class="button" onClick={() => props.onDone()}>
          Leave as it is
        </button>
        <button type="submit" class="button button-main">
          Rename
        </button>
      </div>
    </form>
  );
}

function Delete(props: { state: ChatState; onDone: () => void }): JSX.Element {
  const attempt = createAttempt(() => {
    props.onDone();
    navigate(pathTo.home);
  });
  return (
    <div class="dialog-body">
      <p>
        “{props.state.head.title || "New chat"}” and its history go for good, and its agent is stopped. Files it changed stay
        as they are.
      </p>
      {attempt.problem()}
      <div class="dialog-foot">
        <button type="button" class="button" onClick={() => props.onDone()}>
          Keep it
        </button>
        <button type="button" class="button button-bad" onClick={() => void attempt.run(deleteChat(props.state.id))}>
          Delete
        </button>
      </div>
    </div>
  );
}

function createAttempt(onDone: () => void): { run: (act: Promise<void>) => Promise<void>; problem: () => JSX.Element } {
  const [problem, setProblem] = createSignal("");
  return {
    run: (act) => act.then(onDone, (error: unknown) => void setProblem(error instanceof Error ? error.message : "Failed.")),
    problem: () => (
      <p class="field-problem" role="alert">
        {problem()}
      </p>
    ),
  };
}
