// Code in a text: its frame, its language, and a button that copies it.
//
// Lives here: the frame built around each code block after sanitising. Lives elsewhere: colours (highlight.ts).

import { copyText } from "../components/controls/copy/copyText";

export interface CodeFrame {
  readonly frame: HTMLElement;
  readonly code: HTMLElement;
  readonly language: string;
}

/** Put every bare `pre` of the fragment into a frame. */
export function frameCode(fragment: DocumentFragment): CodeFrame[] {
  return [...fragment.querySelectorAll("pre")].map((pre) => {
    const code = pre.querySelector("code") ?? pre;
    const language = [...code.classList].find((name) => name.startsWith("language-"))?.slice("language-".length) ?? "";
    const frame = document.createElement("figure");
    frame.className = "code";
    pre.replaceWith(frame);
    pre.tabIndex = 0;
    pre.setAttribute("aria-label", language ? `Code, ${language}` : "Code");
    frame.append(captionOf(language, code), pre);
    return { frame, code, language };
  });
}

/** Wide tables scroll inside themselves, by keyboard too. */
export function frameTables(fragment: DocumentFragment): void {
  for (const table of fragment.querySelectorAll<HTMLElement>(".md-table")) {
    table.tabIndex = 0;
    table.setAttribute("role", "region");
    table.setAttribute("aria-label", "Table");
  }
}

function captionOf(language: string, code: HTMLElement): HTMLElement {
  const caption = document.createElement("figcaption");
  caption.className = "code-head";
  const name = document.createElement("span");
  name.textContent = language || "text";
  caption.append(name, copyButton(() => code.textContent ?? ""));
  return caption;
}

function copyButton(text: () => string): HTMLButtonElement {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "code-copy";
  button.textContent = "Copy";
  button.addEventListener("click", async () => said(button, (await copyText(text())) ? "Copied" : "Could not copy"));
  return button;
}

function said(button: HTMLButtonElement, word: string): void {
  button.textContent = word;
  setTimeout(() => (button.textContent = "Copy"), 1500);
}
