// Remembers what a person expanded or collapsed when it is redrawn.

import { createSignal, type Accessor } from "solid-js";

const wishes = new Map<string, [Accessor<boolean | undefined>, (isOpen: boolean) => void]>();
const MOST = 2000;

/** Expanded, collapsed, or undefined if the person did not toggle it. */
export function foldState(name: string): { readonly wish: boolean | undefined; set(isOpen: boolean): void } {
  let kept = wishes.get(name);
  if (!kept) {
    const [wish, setWish] = createSignal<boolean>();
    kept = [wish, (isOpen: boolean) => void setWish(isOpen)];
    if (wishes.size >= MOST) wishes.delete(wishes.keys().next().value!);
    wishes.set(name, kept);
  }
  const [wish, set] = kept;
  return {
    get wish() {
      return wish();
    },
    set,
  };
}
