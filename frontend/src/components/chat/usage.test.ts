import { expect, test } from "vitest";

import { contextWords, costWords, shareOf } from "./usage";

test("how full the context is, if the agent reports it", () => {
  expect(contextWords({ used: 48_000, size: 200_000 })).toBe("24% of 200k");
  expect(contextWords({ used: 300, size: 200 })).toBe("100% of 200");
  expect(contextWords({ used: 48_000 })).toBe("48k tokens");
  expect(contextWords({})).toBe("");
  expect([shareOf({ used: 1, size: 4 }), shareOf({ used: 1 }), shareOf({ used: 1, size: 0 })]).toEqual([0.25, undefined, undefined]);
});

test("the cost; a small cost is not shown as zero", () => {
  const words = (amount: number) => costWords({ cost: { amount, currency: "USD" } });
  expect([words(1.234), words(0.05), words(0.0042), words(0)]).toEqual(["1.23 USD", "0.05 USD", "0.004 USD", "0.00 USD"]);
  expect([costWords({}), costWords({ cost: null }), costWords({ cost: { amount: 2 } })]).toEqual(["", "", "2.00"]);
});
