// The current route, from the address bar.
//
// Lives here: addresses to routes and back, navigation. Lives elsewhere:
// which page a route shows (App.tsx).

import { createSignal } from "solid-js";

export type Route =
  | { page: "home" }
  /** `agent`: the agent to preselect. */
  | { page: "new"; agent?: string }
  | { page: "chat"; id: string }
  | { page: "settings"; section: string | undefined }
  | { page: "history"; agent: string }
  | { page: "missing" };

const [current, setCurrent] = createSignal<Route>(read(), { equals: same });

/** The current route; reactive. */
export const route = current;

/** Go to an address such as `pathTo.chat(id)`. */
export function navigate(path: string, how: { replace?: boolean } = {}): void {
  if (path !== location.pathname) {
    if (how.replace) history.replaceState(null, "", path);
    else history.pushState(null, "", path);
  }
  setCurrent(read());
}

/** Addresses, for links: `<a href={pathTo.chat(id)}>` works without any handler. */
export const pathTo = {
  home: "/",
  newChat: "/new",
  newChatWith: (agent: string) => `/new/${encodeURIComponent(agent)}`,
  chat: (id: string) => `/chat/${id}`,
  settings: (section?: string) => (section ? `/settings/${section}` : "/settings"),
  history: (agent: string) => `/history/${encodeURIComponent(agent)}`,
};

/** Handle our own links and the back button; called once by main.tsx. */
export function followHistory(): void {
  addEventListener("popstate", () => setCurrent(read()));
  document.addEventListener("click", (event) => {
    const path = ownLink(event);
    if (path === undefined) return;
    event.preventDefault();
    navigate(path);
  });
}

export function routeOf(path: string): Route {
  const [first, second, ...more] = path.split("/").filter(Boolean);
  if (first === undefined) return { page: "home" };
  if (first === "new" && more.length === 0) return { page: "new", ...(second && { agent: decoded(second) }) };
  if (first === "chat" && second !== undefined && more.length === 0) return { page: "chat", id: second };
  if (first === "settings" && more.length === 0) return { page: "settings", section: second };
  if (first === "history" && second !== undefined && more.length === 0) {
    return { page: "history", agent: decoded(second) };
  }
  return { page: "missing" };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function read(): Route {
  return routeOf(location.pathname);
}

function same(one: Route, other: Route): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** The path of a plain click on one of our links; everything else is left to the browser. */
function ownLink(event: MouseEvent): string | undefined {
  if (event.defaultPrevented || event.button !== 0) return undefined;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return undefined;
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  if (!(link instanceof HTMLAnchorElement) || link.target || link.hasAttribute("download")) return undefined;
  const isOurs = link.origin === location.origin && !link.pathname.startsWith("/api/");
  return isOurs && link.hash === "" ? link.pathname : undefined;
}
