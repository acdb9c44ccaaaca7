// Searching the workspace while somebody types.
//
// Lives here: which answer is shown. An answer to earlier words is ignored; the last result stays while the next one is
// on its way, so that the list does not flicker. Lives elsewhere: the search (the server), the list (EntryList.tsx).

import { createEffect, createSignal, on, onCleanup, type Accessor } from "solid-js";

import { searchFiles, type FoundFiles } from "../../../state";
import { messageOf } from "../../controls/attempt";
import { labels } from "./labels";

export interface FileQuery {
  readonly workspace: string;
  readonly q: string;
}

export interface FileSearch {
  /** The last result; undefined before the first one and after an error. */
  readonly found: FoundFiles | undefined;
  /** The words of that result. */
  readonly q: string;
  readonly isLoading: boolean;
  readonly problem: string;
}

const MOST = 20;
/** A fast typist presses the next key within this time. */
const PAUSE_MS = 40;
const IDLE: FileSearch = { found: undefined, q: "", isLoading: false, problem: "" };

type Search = (workspace: string, q: string, limit: number) => Promise<FoundFiles>;

/** Follows the query; undefined stops and forgets. */
export function createFileSearch(query: Accessor<FileQuery | undefined>, search: Search = searchFiles): Accessor<FileSearch> {
  const [state, setState] = createSignal(IDLE);
  let latest = 0;
  let pause: ReturnType<typeof setTimeout> | undefined;
  const stop = () => {
    latest += 1;
    clearTimeout(pause);
  };

  async function ask(asked: FileQuery, mine: number): Promise<void> {
    try {
      const found = await search(asked.workspace, asked.q, MOST);
      if (mine === latest) setState({ found, q: asked.q, isLoading: false, problem: "" });
    } catch (error) {
      if (mine === latest) setState({ ...IDLE, q: asked.q, problem: messageOf(error) });
    }
  }
  createEffect(
    on(
      () => JSON.stringify(query() ?? null),
      () => {
        const asked = query();
        const isFirst = state() === IDLE;
        stop();
        if (asked === undefined) return setState(IDLE);
        setState((before) => ({ ...before, isLoading: true }));
        const mine = latest;
        if (isFirst) void ask(asked, mine);
        else pause = setTimeout(() => void ask(asked, mine), PAUSE_MS);
      },
    ),
  );
  onCleanup(stop);
  return state;
}

/** How much the list does not show. */
export function moreWords({ found }: FileSearch): string {
  if (found === undefined) return "";
  return [found.files.length >= MOST ? labels.moreFiles : "", found.is_complete ? "" : labels.incomplete].filter(Boolean).join(" ");
}
