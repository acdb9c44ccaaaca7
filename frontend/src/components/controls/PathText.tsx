// A path that breaks at its slashes when it must break.
import { For, type JSX } from "solid-js";

import { visibleText } from "../question/visibleText";

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
