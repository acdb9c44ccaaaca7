// Optimistic options: a choice is shown at once, and undone if the server refuses it.

import { createStore } from "solid-js/store";

import type { AgentOption } from "../../../state";
import { keyOf } from "../../../state/named";

export interface OptimisticOptions {
  /** The options as the person sees them. */
  seen(options: readonly AgentOption[]): AgentOption[];
  /** Show a choice now; `act` tells the server. */
  choose(option: string, value: string | boolean, act: () => Promise<void>): Promise<void>;
}

/** How long the stream may take to confirm an accepted choice. */
const STREAM_MS = 700;

export function createOptimisticOptions(): OptimisticOptions {
  const [wished, setWished] = createStore<Record<string, string | boolean | undefined>>({});
  return {
    seen: (options) =>
      options.map((option) => {
        const wish = wished[keyOf(option.id)];
        return wish === undefined ? option : { ...option, current: wish };
      }),
    async choose(option, value, act) {
      setWished(keyOf(option), value);
      // Do not undo a later choice.
      const forget = () => wished[keyOf(option)] === value && setWished(keyOf(option), undefined);
      try {
        await act();
        setTimeout(forget, STREAM_MS);
      } catch (error) {
        forget();
        throw error;
      }
    },
  };
}
