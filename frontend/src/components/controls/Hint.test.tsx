import { render } from "solid-js/web";
import { expect, test } from "vitest";

import { Hint } from "./Hint";

test.each([
  ["Run `voxpilot link` again.", "Run <code>voxpilot link</code> again."],
  ["`a` or `b`", "<code>a</code> or <code>b</code>"],
  ["No code", "No code"],
  ["A lone ` stays", "A lone ` stays"],
  ["<b>`<i>`</b>", "&lt;b&gt;<code>&lt;i&gt;</code>&lt;/b&gt;"],
])("%s", (text, shown) => {
  const place = document.createElement("p");
  const dispose = render(() => <Hint text={text} />, place);
  expect(place.innerHTML).toBe(shown);
  dispose();
});
