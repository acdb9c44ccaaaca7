import { afterEach, expect, test, vi } from "vitest";

import { frameCode } from "../../markdown/code";
import { copyText } from "./copyText";

afterEach(() => {
  Reflect.deleteProperty(document, "execCommand");
  document.body.replaceChildren();
});

/** What is marked when the browser is told to copy. */
function copying(does: boolean): string[] {
  const copied: string[] = [];
  const execCommand = () => {
    copied.push((document.activeElement as HTMLTextAreaElement).value);
    return does;
  };
  Object.defineProperty(document, "execCommand", { value: execCommand, configurable: true });
  return copied;
}

test("without the clipboard of a secure page the text is copied all the same, and the focus stays", async () => {
  const dialog = document.createElement("dialog");
  const button = document.createElement("button");
  dialog.append(button);
  document.body.append(dialog);
  button.focus();
  const copied = copying(true);
  expect(await copyText("one\ntwo")).toBe(true);
  expect(copied).toEqual(["one\ntwo"]);
  expect(document.activeElement).toBe(button);
  expect(document.querySelector("textarea")).toBe(null);
});

test.each([
  [true, "Copied"],
  [false, "Could not copy"],
])("the button of a piece of code says how it went: %s", async (does, said) => {
  const fragment = document.createDocumentFragment();
  fragment.append(document.createElement("pre"));
  frameCode(fragment);
  document.body.append(fragment);
  copying(does);
  const button = document.querySelector<HTMLButtonElement>(".code-copy")!;
  button.click();
  await vi.waitFor(() => expect(button.textContent).toBe(said));
});
