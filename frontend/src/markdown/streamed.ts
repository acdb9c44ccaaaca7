// Markdown drawn while it streams in.
//
// Lives here: drawing a growing text by changing only its end: blocks before the last two cannot change any
// more and are not touched again. Lives elsewhere: rendering (render.ts), sanitising (sanitise.ts).
import type { Token, Tokens } from "marked";
import remend from "remend";

import { frameCode, frameTables, type CodeFrame } from "./code";
import { colour } from "./highlight";
import { htmlOf, lex } from "./render";
import { sanitised } from "./sanitise";
import { isWild } from "./wild";

/** One block of the text that may still change. */
interface Live {
  raw: string;
  /** It was drawn from a completed version of the text, so it must be drawn again even if no more text arrives. */
  isCompleted: boolean;
  node: HTMLElement;
  frames: CodeFrame[];
}

/** The last two blocks may still become something else: a heading by its underline, a list that continues. */
const OPEN_BLOCKS = 2;
/** A single block longer than this is shown as plain text: parsing it would block the page. */
const LONGEST_BLOCK = 200_000;
const DEFINITION = /^ {0,3}\[[^\]\n]+\]:/m;

export class StreamedMarkdown {
  private shown = "";
  private isFinished = false;
  /** How much of the text is drawn and final. */
  private settled = 0;
  private live: Live[] = [];
  /** The whole text unformatted, if formatting it would block the page. */
  private plain: Text | undefined;
  /** A person asked to format it anyway. */
  private isForced = false;

  constructor(private readonly root: HTMLElement) {}

  /** Draw the current text; `isFinished` if it is complete. */
  update(given: string, isFinished: boolean): void {
    const text = given.includes("\r") ? given.replace(/\r\n?/g, "\n") : given;
    if (text === this.shown && isFinished === this.isFinished) return;
    // Links may be defined after their use, so such a text is drawn once more as a whole.
    const isOther = !text.startsWith(this.shown);
    if (isOther || (isFinished && this.plain === undefined && DEFINITION.test(text))) this.clear();
    this.shown = text;
    this.isFinished = isFinished;
    if (this.plain !== undefined) return this.plain.appendData(text.slice(this.plain.data.length));
    if (!this.isForced && isWild(text.slice(this.settled))) return this.showPlain(text);
    const tokens = lex(text.slice(this.settled)).filter((token) => token.raw !== "");
    this.draw(tokens);
    this.settle(tokens);
  }

  private clear(): void {
    this.root.replaceChildren();
    this.live = [];
    this.settled = 0;
    this.plain = undefined;
  }

  private showPlain(text: string): void {
    this.clear();
    this.plain = document.createTextNode(text);
    const block = document.createElement("div");
    block.className = "md-block md-plain";
    block.append(this.plain);
    const note = document.createElement("p");
    note.className = "md-note";
    const button = document.createElement("button");
    button.type = "button";
    button.className = "text-button";
    button.textContent = "Show formatted";
    button.addEventListener("click", () => {
      const { shown } = this;
      this.isForced = true;
      this.clear();
      this.shown = "";
      this.update(shown, this.isFinished);
    });
    note.append("Shown as plain text because formatting it would be slow. ", button);
    this.root.append(note, block);
  }

  private draw(tokens: Token[]): void {
    const last = tokens.findLastIndex((token) => token.type !== "space");
    tokens.forEach((token, at) => {
      const isOpen = at === last && !this.isFinished;
      const old = this.live[at];
      if (old && old.raw === token.raw && !old.isCompleted) return;
      if (old && grownCode(old, token)) return;
      const drawn = drawToken(token, isOpen);
      if (old) old.node.replaceWith(drawn.node);
      else this.root.append(drawn.node);
      this.live[at] = drawn;
    });
    for (const surplus of this.live.splice(tokens.length)) surplus.node.remove();
  }

  /** Final blocks are never processed again. A block that seemed finished may still continue at its end. */
  private settle(tokens: Token[]): void {
    if (this.isFinished) for (const { frames } of this.live) frames.forEach(colour);
    const count = Math.max(0, tokens.length - OPEN_BLOCKS);
    const length = tokens.slice(0, count).reduce((sum, token) => sum + token.raw.length, 0);
    const raw = tokens.slice(0, count).map((token) => token.raw);
    if (!this.shown.startsWith(raw.join(""), this.settled)) return;
    const done = this.live.splice(0, count);
    if (!this.isFinished) for (const { frames } of done) frames.forEach(colour);
    this.settled += length;
  }
}

/** The whole of a finished text. */
export function rendered(text: string): DocumentFragment {
  const holder = document.createElement("div");
  new StreamedMarkdown(holder).update(text, true);
  const fragment = document.createDocumentFragment();
  fragment.append(...holder.childNodes);
  return fragment;
}

function drawToken(token: Token, isOpen: boolean): Live {
  const node = document.createElement("div");
  node.className = "md-block";
  if (token.raw.length > LONGEST_BLOCK && token.type !== "code") {
    node.classList.add("md-plain");
    node.textContent = token.raw;
    return { raw: token.raw, isCompleted: false, node, frames: [] };
  }
  const completed = isOpen && token.type !== "code" ? remend(token.raw, { linkMode: "text-only" }) : token.raw;
  const isCompleted = completed !== token.raw;
  const fragment = sanitised(htmlOf(isCompleted ? lex(completed) : [token]));
  const frames = frameCode(fragment);
  frameTables(fragment);
  node.append(fragment);
  return { raw: token.raw, isCompleted, node, frames };
}

/** Code that only grew is extended in place, so that it keeps its scroll position and button. */
function grownCode(old: Live, token: Token): boolean {
  const frame = old.frames[0];
  if (token.type !== "code" || !frame || old.frames.length !== 1 || !isFenced(old.raw)) return false;
  const fence = old.raw.slice(0, old.raw.indexOf("\n") + 1);
  if (fence === "" || !token.raw.startsWith(fence)) return false;
  const text = (token as Tokens.Code).text;
  const drawn = frame.code.firstChild;
  if (!(drawn instanceof Text) || frame.code.childNodes.length !== 1 || !text.startsWith(drawn.data)) {
    frame.code.textContent = text;
  } else if (text.length > drawn.data.length) {
    drawn.appendData(text.slice(drawn.data.length));
  }
  old.raw = token.raw;
  old.isCompleted = false;
  return true;
}

function isFenced(raw: string): boolean {
  return /^ {0,3}(?:`{3}|~{3})/.test(raw);
}
