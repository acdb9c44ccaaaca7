// Skills that fit the message being written.
//
// Lives here: when to ask, and what a person has chosen or dismissed. Lives elsewhere: the match (the server),
// the chips (SuggestedSkills.tsx).

import { createEffect, createSignal, on, onCleanup, type Accessor } from "solid-js";

import { suggestSkills, type SuggestedSkill } from "../../../state";

/** After a pause in typing. */
const PAUSE_MS = 700;
const LEAST_CHARACTERS = 8;
const MOST_CHARACTERS = 4_000;

export interface Suggestions {
  readonly list: Accessor<readonly SuggestedSkill[]>;
  dismiss(id: string): void;
}

export function createSuggestions(
  given: {
    workspace: Accessor<string | undefined>;
    text: Accessor<string>;
    /** Ids of skills that are attached already. */
    chosen: Accessor<ReadonlySet<string>>;
  },
  suggest = suggestSkills,
): Suggestions {
  const [found, setFound] = createSignal<readonly SuggestedSkill[]>([]);
  const [dismissed, setDismissed] = createSignal<ReadonlySet<string>>(new Set());
  let latest = 0;
  let pause: ReturnType<typeof setTimeout> | undefined;
  const asked = () => {
    const text = given.text().trim();
    const workspace = given.workspace();
    // A command is not prose.
    return workspace === undefined || text.length < LEAST_CHARACTERS || text.startsWith("/") ? undefined : { workspace, text };
  };
  async function ask(mine: number, workspace: string, text: string) {
    // A suggestion is a convenience: if there is none, nothing is missing.
    const skills = await suggest(workspace, text.slice(0, MOST_CHARACTERS)).catch(() => []);
    if (mine === latest) setFound(skills);
  }
  createEffect(
    on(
      () => JSON.stringify(asked() ?? null),
      () => {
        const now = asked();
        latest += 1;
        clearTimeout(pause);
        if (now === undefined) {
          setFound([]);
          // An empty field is a new message.
          if (given.text() === "") setDismissed(new Set<string>());
          return;
        }
        const mine = latest;
        pause = setTimeout(() => void ask(mine, now.workspace, now.text), PAUSE_MS);
      },
    ),
  );
  onCleanup(() => {
    latest += 1;
    clearTimeout(pause);
  });
  return {
    list: () => found().filter(({ id }) => !dismissed().has(id) && !given.chosen().has(id)),
    dismiss: (id) => setDismissed((before) => new Set([...before, id])),
  };
}
