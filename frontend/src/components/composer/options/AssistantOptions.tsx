// What a person chooses for the assistant in one chat: its model, and which of its tools are off.
import { createResource, createSignal, For, Show, type JSX } from "solid-js";

import { assistant, listModels, pathTo, setModel, setTools, type ChatState } from "../../../state";
import { createAttempt } from "../../controls/attempt";
import { Dialog } from "../../controls/Dialog";
import { DownIcon, WarningIcon } from "../../icons";
import { visibleText } from "../../question/content/visibleText";
import { labels } from "../labels";

type Attempt = ReturnType<typeof createAttempt>;

/** The chat's own model, while the settings use the provider it was chosen for. */
export function ownModel(head: ChatState["head"]): string {
  return head.model?.provider === assistant()?.chosen?.provider ? (head.model?.name ?? "") : "";
}

export function AssistantOptions(props: { state: ChatState }): JSX.Element {
  const [isOpen, setOpen] = createSignal(false);
  const attempt = createAttempt();
  const usual = () => assistant()?.chosen?.model ?? "";
  const off = () => props.state.head.tools_off ?? [];
  return (
    <Show when={assistant()}>
      <button
        type="button"
        class="select model-chip"
        classList={{ "model-missing": assistant()?.problem != null }}
        title={assistant()?.problem?.message ?? labels.modelAndTools}
        onClick={() => setOpen(true)}
      >
        <Show when={assistant()?.chosen} fallback={<WarningIcon />}>
          <span class="cut">{visibleText(ownModel(props.state.head) || usual())}</span>
        </Show>
        <Show when={assistant()?.problem}>
          <span>{labels.noModel}</span>
        </Show>
        <DownIcon />
      </button>
      <Dialog isOpen={isOpen()} title={labels.modelAndTools} onClose={() => setOpen(false)}>
        <div class="dialog-body" data-testid="assistant-options">
          <Model chat={props.state.id} own={ownModel(props.state.head)} usual={usual()} attempt={attempt} />
          <fieldset class="bare-fields tool-switches">
            <legend class="field-label">{labels.tools}</legend>
            <For each={assistant()?.tools}>
              {(tool) => <ToolSwitch tool={tool} chat={props.state.id} off={off()} attempt={attempt} />}
            </For>
          </fieldset>
          <Show when={attempt.problem()}>
            <p class="field-problem" role="alert">
              {attempt.problem()}
            </p>
          </Show>
          <p class="quiet small">
            <a href={pathTo.settings("assistant")}>{labels.modelSettings}</a>
          </p>
        </div>
      </Dialog>
    </Show>
  );
}

/** A list if the provider has one, otherwise any name can be typed. */
function Model(props: { chat: string; own: string; usual: string; attempt: Attempt }): JSX.Element {
  const [models] = createResource(() => listModels({}).catch(() => [] as string[]));
  const offered = () => [...new Set([...(props.own ? [props.own] : []), ...(models() ?? [])])];
  const choose = (model: string) => props.attempt.run(() => setModel(props.chat, model));
  const field = { class: "input", "data-testid": "chat-model" };
  return (
    <label class="field">
      <span class="field-label">{labels.modelOfChat}</span>
      <Show
        when={(models() ?? []).length > 0}
        fallback={
          <input
            {...field}
            maxlength="200"
            autocapitalize="off"
            spellcheck={false}
            placeholder={props.usual}
            value={props.own}
            onChange={(event) => void choose(event.currentTarget.value.trim())}
          />
        }
      >
        <select
          {...field}
          onChange={async (event) => {
            const select = event.currentTarget;
            if (!(await choose(select.value))) select.value = props.own;
          }}
        >
          <option value="" selected={props.own === ""}>
            {labels.usualModel(visibleText(props.usual))}
          </option>
          <For each={offered()}>
            {(model) => (
              <option value={model} selected={model === props.own}>
                {visibleText(model)}
              </option>
            )}
          </For>
        </select>
      </Show>
    </label>
  );
}

function ToolSwitch(props: {
  tool: { name: string; description: string };
  chat: string;
  /** All tools that are off. */
  off: readonly string[];
  attempt: Attempt;
}): JSX.Element {
  const isOn = () => !props.off.includes(props.tool.name);
  const switched = (on: boolean) => (on ? props.off.filter((name) => name !== props.tool.name) : [...props.off, props.tool.name]);
  return (
    <label class="tick">
      <input
        type="checkbox"
        checked={isOn()}
        onChange={async (event) => {
          const box = event.currentTarget;
          const isDone = await props.attempt.run(() => setTools(props.chat, switched(box.checked)));
          if (!isDone) box.checked = isOn();
        }}
      />
      <span>
        <code>{props.tool.name}</code>
        <span class="quiet small tool-help">{labels.toolHelp[props.tool.name] ?? props.tool.description}</span>
      </span>
    </label>
  );
}
