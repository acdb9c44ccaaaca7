// A button that opens a menu.
import { createSignal, For, onCleanup, Show, type JSX } from "solid-js";

export interface MenuItem {
  readonly label: string;
  readonly icon: () => JSX.Element;
  readonly isGrave?: boolean;
  readonly act: () => void;
}

export function Menu(props: { label: string; icon: () => JSX.Element; items: readonly MenuItem[] }): JSX.Element {
  const [isOpen, setOpen] = createSignal(false);
  let place!: HTMLDivElement;
  let button!: HTMLButtonElement;

  function close(returnsFocus: boolean) {
    setOpen(false);
    if (returnsFocus) button.focus();
  }
  const onOutside = (event: PointerEvent) => {
    if (isOpen() && event.target instanceof Node && !place.contains(event.target)) close(false);
  };
  document.addEventListener("pointerdown", onOutside);
  onCleanup(() => document.removeEventListener("pointerdown", onOutside));

  function onKey(event: KeyboardEvent) {
    if (!isOpen()) return;
    if (event.key === "Escape") {
      event.preventDefault();
      close(true);
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      step(place, event.key === "ArrowDown" ? 1 : -1);
    }
  }

  return (
    <div class="menu-place" ref={place} onKeyDown={onKey}>
      <button
        ref={button}
        type="button"
        class="icon-button"
        aria-label={props.label}
        aria-haspopup="menu"
        aria-expanded={isOpen()}
        onClick={() => setOpen(!isOpen())}
      >
        {props.icon()}
      </button>
      <Show when={isOpen()}>
        <div class="menu" role="menu" aria-label={props.label}>
          <For each={props.items}>
            {(item) => (
              <button
                type="button"
                role="menuitem"
                class="menu-item"
                classList={{ "button-bad": item.isGrave ?? false }}
                onClick={() => {
                  close(true);
                  item.act();
                }}
              >
                {item.icon()}
                {item.label}
              </button>
            )}
          </For>
        </div>
      </Show>
    </div>
  );
}

function step(place: HTMLElement, by: 1 | -1): void {
  const items = [...place.querySelectorAll<HTMLElement>("[role=menuitem]")];
  const at = items.indexOf(document.activeElement as HTMLElement);
  items[(at + by + items.length) % items.length]?.focus();
}
