// Light or dark: follows the system unless a person chose.

import { createSignal } from "solid-js";

import { forget, recall, remember } from "../../state";

export type Theme = "system" | "light" | "dark";

const [theme, show] = createSignal<Theme>(asTheme(recall("theme")));
apply(theme());

export { theme };

export function setTheme(wished: Theme): void {
  show(wished);
  if (wished === "system") forget("theme");
  else remember("theme", wished);
  apply(wished);
}

export function nextTheme(): Theme {
  const order: Theme[] = ["system", "light", "dark"];
  return order[(order.indexOf(theme()) + 1) % order.length]!;
}

function apply(wished: Theme): void {
  if (wished === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = wished;
}

function asTheme(kept: string | null): Theme {
  return kept === "light" || kept === "dark" ? kept : "system";
}
