// Raw JSON from an agent.
import { createMemo, createSignal, Show, type JSX } from "solid-js";

import type { Json } from "../../state";
import { CopyButton } from "../controls/copy/CopyButton";
import { visibleText } from "../question/content/visibleText";
import { labels } from "./labels";

const CHARACTERS_AT_FIRST = 6000;

export function JsonText(props: { value: Json | undefined; label: string }): JSX.Element {
  const [isWhole, setWhole] = createSignal(false);
  const text = createMemo(() => visibleText(asText(props.value)));
  const isLong = () => text().length > CHARACTERS_AT_FIRST && !isWhole();
  return (
    <div class="json">
      <header class="json-head">
        <span>{props.label}</span>
        <CopyButton text={text} label={labels.copy(props.label)} />
      </header>
      <pre tabindex="0" aria-label={props.label}>{isLong() ? text().slice(0, CHARACTERS_AT_FIRST) : text()}</pre>
      <Show when={isLong()}>
        <button type="button" class="text-button" onClick={() => setWhole(true)}>
          {labels.showAllOf(Math.ceil(text().length / 1000))}
        </button>
      </Show>
    </div>
  );
}

function asText(value: Json | undefined): string {
  return typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "");
}
