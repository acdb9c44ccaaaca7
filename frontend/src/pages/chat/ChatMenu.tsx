// The menu of a chat: plan and changes, diagnostics, rename, delete.
import { createSignal, lazy, Suspense, type JSX } from "solid-js";

import { deleteChat, navigate, pathTo, renameChat, type ChatState } from "../../state";
import type { MenuItem } from "../../components/controls/Menu";
import { Dialog } from "../../components/controls/Dialog";
import { AgentIcon, EditIcon, PanelIcon, TrashIcon } from "../../components/icons";
import { labels } from "../labels";
import { messageOf } from "../../components/controls/attempt";

/** Rarely looked at, so it is loaded when it is. */
const ChatDiagnostics = lazy(async () => ({ default: (await import("../../components/diagnostics/ChatDiagnostics")).ChatDiagnostics }));

export interface ChatMenu {
  readonly items: readonly MenuItem[];
  readonly dialogs: JSX.Element;
  diagnose(): void;
}

export function createChatMenu(state: ChatState, onPanel: () => void): ChatMenu {
  const [shown, setShown] = createSignal<"rename" | "delete" | "diagnostics">();
  const close = () => setShown(undefined);
  return {
    items: [
      { label: labels.chat.planAndChanges, icon: PanelIcon, act: onPanel },
      { label: labels.chat.diagnostics, icon: AgentIcon, act: () => setShown("diagnostics") },
      { label: labels.chat.rename, icon: EditIcon, act: () => setShown("rename") },
      { label: labels.chat.delete, icon: TrashIcon, isGrave: true, act: () => setShown("delete") },
    ],
    diagnose: () => setShown("diagnostics"),
    dialogs: (
      <>
        <Dialog isOpen={shown() === "diagnostics"} title={labels.chat.diagnostics} onClose={close} class="dialog-wide">
          <div class="dialog-body">
            <Suspense>
              <ChatDiagnostics chat={state.id} />
            </Suspense>
          </div>
        </Dialog>
        <Dialog isOpen={shown() === "rename"} title={labels.chat.renameTitle} onClose={close}>
          <Rename state={state} onDone={close} />
        </Dialog>
        <Dialog isOpen={shown() === "delete"} title={labels.chat.deleteTitle} onClose={close}>
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
        <span class="field-label">{labels.chat.name}</span>
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
          {labels.cancel}
        </button>
        <button type="submit" class="button button-main">
          {labels.chat.rename}
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
        {labels.chat.deleteHelp(props.state.head.title || labels.newChat)}
      </p>
      {attempt.problem()}
      <div class="dialog-foot">
        <button type="button" class="button" onClick={() => props.onDone()}>
          {labels.cancel}
        </button>
        <button type="button" class="button button-bad" onClick={() => void attempt.run(deleteChat(props.state.id))}>
          {labels.chat.delete}
        </button>
      </div>
    </div>
  );
}

function createAttempt(onDone: () => void): { run: (act: Promise<void>) => Promise<void>; problem: () => JSX.Element } {
  const [problem, setProblem] = createSignal("");
  return {
    run: (act) => act.then(onDone, (error: unknown) => void setProblem(messageOf(error))),
    problem: () => (
      <p class="field-problem" role="alert">
        {problem()}
      </p>
    ),
  };
}
