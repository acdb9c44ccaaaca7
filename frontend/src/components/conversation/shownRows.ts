// How many rows of a long chat are drawn: those at the end, and more while a person scrolls up.

import { createEffect, createSignal, type Accessor } from "solid-js";

const AT_FIRST = 60;
const STEP = 40;
/** With more rows than this, returning to the end drops the oldest. */
const MOST_AT_END = 160;

export interface ShownRows {
  /** The number of rows at the end that are drawn. */
  readonly count: Accessor<number>;
  /** Draw more; false when there are no more to draw. */
  grow(total: number): boolean;
}

export function createShownRows(isAtEnd: Accessor<boolean>): ShownRows {
  const [count, setCount] = createSignal(AT_FIRST);
  createEffect(() => {
    if (isAtEnd() && count() > MOST_AT_END) setCount(AT_FIRST);
  });
  return {
    count,
    grow(total) {
      if (count() >= total) return false;
      setCount(Math.min(total, count() + STEP));
      return true;
    },
  };
}
