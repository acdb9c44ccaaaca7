// A list of rows of one height, of which only those in view exist.
import { createMemo, createSignal, For, onCleanup, onMount, type JSX } from "solid-js";

/** Rows before and after those in view. */
const SPARE = 5;

export function WindowedList<T>(props: {
  items: readonly T[];
  label: string;
  /** In rem, so that it grows with the text. */
  rowHeight: number;
  children: (item: T) => JSX.Element;
}): JSX.Element {
  let box!: HTMLDivElement;
  const [top, setTop] = createSignal(0);
  const [height, setHeight] = createSignal(600);
  const [rem, setRem] = createSignal(16);
  const row = () => props.rowHeight * rem();
  const first = createMemo(() => Math.max(0, Math.floor(Math.min(top(), props.items.length * row()) / row()) - SPARE));
  const shown = createMemo(() => props.items.slice(first(), Math.ceil((top() + height()) / row()) + SPARE));
  onMount(() => {
    const measure = () => {
      setHeight(box.clientHeight);
      setRem(Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16);
    };
    const watched = new ResizeObserver(measure);
    watched.observe(box);
    onCleanup(() => watched.disconnect());
  });
  return (
    <div class="windowed" ref={box} onScroll={() => setTop(box.scrollTop)}>
      <ul class="windowed-list" aria-label={props.label} style={{ height: `${props.items.length * props.rowHeight}rem` }}>
        <For each={shown()}>
          {(item, at) => (
            <li
              class="windowed-row"
              aria-setsize={props.items.length}
              aria-posinset={first() + at() + 1}
              style={{ top: `${(first() + at()) * props.rowHeight}rem`, height: `${props.rowHeight}rem` }}
            >
              {props.children(item)}
            </li>
          )}
        </For>
      </ul>
    </div>
  );
}
