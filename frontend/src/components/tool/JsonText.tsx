// Whatever an agent sent, as it stands.
import { createMemo, createSignal, Show, type JSX } from "solid-js";

import type { Json } from "../../state";
import { CopyButton } from "../controls/CopyButton";
import { visibleText } from "../question/visibleText";

const CHARACTERS_AT_FIRST = 6000;

export function JsonText(props: { value: Json | undefined; label: string }): JSX.Element {
  const [isWhole, setWhole] = createSignal(false);
  const text = createMemo(() => visibleText(asText(props.value)));
  const isLong = () => text().length > CHARACTERS_AT_FIRST && !isWhole();
  return (
    <div class="json">
      <header class="json-head">
        <span>{props.label}</span>
        <CopyButton text={text} label={`Copy ${props.label.toLowerCase()}`} />
      </header>
      <pre tabindex="0" aria-label={props.label}>{isLong() ? text().slice(0, CHARACTERS_AT_FIRST) : text()}</pre>
      <Show when={isLong()}>
        <button type="button" class="text-button" onClick={() => setWhole(true)}>
          Show all of {Math.ceil(text().length / 1000).toLocaleString()} kB
        </button>
      </Show>
    </div>
  );
}

function asText(value: Json | undefined): string {
  return typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "");
}
