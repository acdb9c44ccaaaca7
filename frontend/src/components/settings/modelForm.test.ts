import { expect, test } from "vitest";

import { fieldsOf, settingOf, wishOf, withProvider } from "./modelForm";

const NOW = { provider: "openai", model: "big", base_url: "", api_key: "**********", context_tokens: 0, max_output_tokens: 0 };

test("a key that was not typed is neither tried nor stored anew", () => {
  const fields = fieldsOf(NOW);
  expect(fields.key).toBe("");
  expect(wishOf(fields)).toEqual({ provider: "openai", model: "big", base_url: "" });
  expect(settingOf(fields)).toEqual({ provider: "openai", model: "big", base_url: null });
  expect(settingOf({ ...fields, key: " k " })).toMatchObject({ api_key: "k" });
});

test("another provider begins without what was the last one's", () => {
  const fields = { ...fieldsOf(NOW), key: "k" };
  expect(withProvider(fields, "openai")).toBe(fields);
  expect(withProvider(fields, "anthropic")).toEqual({ provider: "anthropic", model: "", baseUrl: "", key: "" });
});
