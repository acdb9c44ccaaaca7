// A path that wraps only at slashes.
import { For, type JSX } from "solid-js";

import { visibleText } from "../question/content/visibleText";

export function PathText(props: { path: string }): JSX.Element {
  return (
    <span class="mono breakable">
      <For each={visibleText(props.path).split(/(?<=\/)/)}>
        {(part) => (
          <>
            {part}
            <wbr />
          </>
        )}
      </For>
    </span>
  );
}
