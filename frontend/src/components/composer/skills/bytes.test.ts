import { expect, test } from "vitest";

import { bytesWords } from "./bytes";

test.each([
  [0, "0 bytes"],
  [1, "1 byte"],
  [840, "840 bytes"],
  [1000, "1 kB"],
  [2140, "2.1 kB"],
  [64_000, "64 kB"],
  [1_430_000, "1.4 MB"],
])("%i", (bytes, words) => {
  expect(bytesWords(bytes)).toBe(words);
});
