// What a person chose and the server has not shown yet: seen at once, and taken back when it was refused.

import { createStore } from "solid-js/store";

import type { AgentOption } from "../../state";

export interface Wishes {
  /** The options as the person sees them. */
  seen(options: readonly AgentOption[]): AgentOption[];
  /** Show a choice now; `act` tells the server. */
  choose(option: string, value: string | boolean, act: () => Promise<void>): Promise<void>;
}

/** How long the stream may take to tell what the server has taken. */
const STREAM_MS = 700;

export function createWishes(): Wishes {
  const [wished, setWished] = createStore<Record<string, string | boolean | undefined>>({});
  return {
    seen: (options) =>
      options.map((option) => {
        const wish = wished[option.id];
        return wish === undefined ? option : { ...option, current: wish };
      }),
    async choose(option, value, act) {
      setWished(option, value);
      // A later choice is not ours to take back.
      const forget = () => wished[option] === value && setWished(option, undefined);
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
