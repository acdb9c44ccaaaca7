import { render } from "solid-js/web";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { fakeApi, refusing, type Asked } from "../../../api/fetch.fake";
import { refreshSettings } from "../../../state";
import { InstructionsSection } from "./InstructionsSection";

const place = document.createElement("div");
let dispose: () => void;
let asked: Asked[];
let values: { [name: string]: unknown };
let isRefusing: boolean;

const area = () => place.querySelector("textarea")!;
const said = () => place.querySelector("#instructions-state")?.textContent;
const button = (words: string) => [...place.querySelectorAll("button")].find((one) => one.textContent === words)!;
function write(text: string) {
  area().value = text;
  area().dispatchEvent(new InputEvent("input", { bubbles: true }));
}

beforeEach(async () => {
  isRefusing = false;
  values = { instructions: "Be brief.", prepend_instructions: false, project_instructions: true };
  asked = fakeApi(({ method, body }) => {
    if (method === "PUT" && isRefusing) return refusing(403, "not-confirmed", "This browser is not confirmed.", "Confirm it.");
    if (method === "PUT") values = { ...values, ...(body as object) };
    return Response.json({ values, decided_elsewhere: [] });
  });
  await refreshSettings();
  document.body.append(place);
  dispose = render(() => <InstructionsSection />, place);
});

afterEach(() => {
  dispose();
  place.remove();
});

test("it says whether what is written is saved", async () => {
  expect([area().value, said(), button("Save").disabled]).toEqual(["Be brief.", "9 characters", true]);
  write("Be brief and kind.");
  expect([said(), button("Save").disabled]).toEqual(["Not saved yet", false]);
  button("Save").click();
  await vi.waitUntil(() => said() === "Saved");
  expect(asked.at(-1)?.body).toEqual({ instructions: "Be brief and kind." });
  write("x");
  button("Discard changes").click();
  expect(area().value).toBe("Be brief and kind.");
});

test("what could not be saved stays in the field, also after another page was shown", async () => {
  isRefusing = true;
  write("Be kind.");
  button("Save").click();
  await vi.waitUntil(() => place.querySelector("[role=alert]"));
  expect(place.querySelector("[role=alert]")!.textContent).toBe("This browser is not confirmed. Confirm it.");
  dispose();
  dispose = render(() => <InstructionsSection />, place);
  expect([area().value, said()]).toEqual(["Be kind.", "Not saved yet"]);
  button("Discard changes").click();
});

test("text that is too long for the server is not sent", () => {
  write("x".repeat(40_001));
  expect(place.querySelector("[role=alert]")!.textContent).toBe("Instructions can have up to 40,000 characters.");
  expect(button("Save").disabled).toBe(true);
  button("Discard changes").click();
});
