import { expect, test } from "vitest";

import { addressesIn } from "./addresses";

test("addresses are found without closing punctuation, and no text is lost", () => {
  const text = "Open https://example.com/a?b=c&d=(e), or http://x.test. Not javascript:alert(1).";
  const parts = addressesIn(text);
  expect(parts.filter((part) => part.isAddress).map((part) => part.text)).toEqual(["https://example.com/a?b=c&d=(e", "http://x.test"]);
  expect(parts.map((part) => part.text).join("")).toBe(text);
  expect(addressesIn("nothing")).toEqual([{ text: "nothing", isAddress: false }]);
  expect(addressesIn("")).toEqual([]);
});
