import { expect, test } from "vitest";

import { followHistory, navigate, pathTo, route, routeOf } from "./route";

test.each([
  ["/", { page: "home" }],
  ["/new", { page: "new" }],
  ["/new/a%20b", { page: "new", agent: "a b" }],
  ["/new/a/b", { page: "missing" }],
  ["/chat/abc", { page: "chat", id: "abc" }],
  ["/settings", { page: "settings", section: undefined }],
  ["/settings/agents", { page: "settings", section: "agents" }],
  ["/history/a%20b", { page: "history", agent: "a b" }],
  ["/chat", { page: "missing" }],
  ["/chat/a/b", { page: "missing" }],
  ["/what", { page: "missing" }],
])("%s", (path, expected) => expect(routeOf(path)).toEqual(expected));

test("our links are followed without a page load; others are left to the browser", () => {
  followHistory();
  const clicked = (href: string, how: MouseEventInit = {}) => {
    const link = document.body.appendChild(document.createElement("a"));
    link.href = href;
    const event = new MouseEvent("click", { bubbles: true, cancelable: true, ...how });
    // jsdom would try to load the page.
    addEventListener("click", (click) => click.defaultPrevented || click.preventDefault(), { once: true });
    link.dispatchEvent(event);
    return route();
  };
  expect(clicked(pathTo.chat("ab"))).toEqual({ page: "chat", id: "ab" });
  expect(clicked(pathTo.newChat, { ctrlKey: true })).toEqual({ page: "chat", id: "ab" });
  expect(clicked("https://elsewhere.example/new")).toEqual({ page: "chat", id: "ab" });
  expect(clicked("/api/health")).toEqual({ page: "chat", id: "ab" });
  navigate(pathTo.home);
  expect(route()).toEqual({ page: "home" });
});
