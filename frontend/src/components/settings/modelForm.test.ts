import { expect, test } from "vitest";

import { fieldsOf, keepsKey, settingOf, wishOf, withProvider } from "./modelForm";

const NOW = { provider: "openai", model: "big", base_url: "", api_key: "**********", context_tokens: 0, max_output_tokens: 0 };

test("a key that was not typed is neither tested nor stored again", () => {
  const fields = fieldsOf(NOW);
  expect(fields.key).toBe("");
  expect(wishOf(fields)).toEqual({ provider: "openai", model: "big", base_url: "" });
  expect(settingOf(fields)).toEqual({ provider: "openai", model: "big", base_url: null });
  expect(settingOf({ ...fields, key: " k " })).toMatchObject({ api_key: "k" });
});

test("another provider starts without the previous one's values", () => {
  const fields = { ...fieldsOf(NOW), key: "k" };
  expect(withProvider(fields, "openai")).toBe(fields);
  expect(withProvider(fields, "anthropic")).toEqual({ provider: "anthropic", model: "", baseUrl: "", key: "" });
});

test("a key is kept for the same address only", () => {
  const fields = fieldsOf({ ...NOW, base_url: "https://one.example/v1" });
  const now = { provider: "openai", base_url: "https://one.example/v1" };
  expect(keepsKey(fields, now)).toBe(true);
  expect(keepsKey({ ...fields, baseUrl: "https://one.example/v2" }, now)).toBe(true);
  expect(keepsKey({ ...fields, baseUrl: "https://two.example/v1" }, now)).toBe(false);
  expect(keepsKey({ ...fields, provider: "anthropic" }, now)).toBe(false);
});
