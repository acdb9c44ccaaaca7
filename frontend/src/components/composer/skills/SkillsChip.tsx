// The chip "3 skills": opens what goes along with the next message.
import { createSignal, Show, type JSX } from "solid-js";

import { Dialog } from "../../controls/Dialog";
import { SkillIcon } from "../../icons";
import type { InEffect } from "./readInEffect";
import { InEffectView } from "./InEffect";
import { labels } from "./labels";

export function SkillsChip(props: { context: InEffect }): JSX.Element {
  const [isOpen, setOpen] = createSignal(false);
  return (
    <Show when={props.context.now()}>
      {(now) => (
        <>
          <button
            type="button"
            class="select skills-chip"
            data-testid="skills-chip"
            aria-haspopup="dialog"
            title={labels.chipHelp}
            onClick={() => setOpen(true)}
          >
            <SkillIcon />
            {labels.chip(now().skills)}
          </button>
          <Dialog isOpen={isOpen()} title={labels.title} onClose={() => setOpen(false)}>
            <div class="dialog-body">
              <InEffectView context={props.context} />
            </div>
          </Dialog>
        </>
      )}
    </Show>
  );
}
