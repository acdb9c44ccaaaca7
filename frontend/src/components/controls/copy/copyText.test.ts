import { afterEach, expect, test, vi } from "vitest";

import { frameCode } from "../../../markdown/code";
import { copyText } from "./copyText";

afterEach(() => {
  Reflect.deleteProperty(document, "execCommand");
  document.body.replaceChildren();
});

/** The selected text when the browser copies. */
function copying(does: boolean): string[] {
  const copied: string[] = [];
  const execCommand = () => {
    copied.push((document.activeElement as HTMLTextAreaElement).value);
    return does;
  };
  Object.defineProperty(document, "execCommand", { value: execCommand, configurable: true });
  return copied;
}

test("text is copied without the clipboard API too, and the focus stays", async () => {
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
])("the copy button of a code block reports the result: %s", async (does, said) => {
  const fragment = document.createDocumentFragment();
  fragment.append(document.createElement("pre"));
  frameCode(fragment);
  document.body.append(fragment);
  copying(does);
  const button = document.querySelector<HTMLButtonElement>(".code-copy")!;
  button.click();
  await vi.waitFor(() => expect(button.textContent).toBe(said));
});
