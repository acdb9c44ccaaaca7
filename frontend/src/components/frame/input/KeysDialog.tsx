// The list of keyboard shortcuts.
import { For, type JSX } from "solid-js";

import { Dialog } from "../../controls/Dialog";
import { KEY_HINTS } from "./keys";
import { labels } from "../labels";

export function KeysDialog(props: { isOpen: boolean; onClose: () => void }): JSX.Element {
  return (
    <Dialog isOpen={props.isOpen} title={labels.shortcuts} onClose={props.onClose}>
      <dl class="dialog-body keys">
        <For each={KEY_HINTS}>
          {(hint) => (
            <div class="keys-line">
              <dt>
                <For each={hint.keys}>{(key) => <kbd>{key}</kbd>}</For>
              </dt>
              <dd>{hint.does}</dd>
            </div>
          )}
        </For>
      </dl>
    </Dialog>
  );
}
