// A stream of 500 updates a second, and how long it kept the page busy: `window.poured` when it is over.

import { batch } from "solid-js";
import { produce } from "solid-js/store";

import type { Block, ChatState } from "../src/state";
import * as made from "./fixtures";
import { setChat } from "./state";

const UPDATES = 5000;
const PER_SECOND = 500;

export function pourText(): void {
  const text = longText();
  const long: number[] = [];
  new PerformanceObserver((list) => list.getEntries().forEach((entry) => long.push(Math.round(entry.duration)))).observe({
    type: "longtask",
  });
  const began = performance.now();
  let given = 0;
  const frame = () => {
    const due = Math.min(UPDATES, Math.floor(((performance.now() - began) / 1000) * PER_SECOND));
    batch(() => {
      while (given < due) {
        give(text.slice((given * text.length) / UPDATES, ((given + 1) * text.length) / UPDATES), given);
        given += 1;
      }
    });
    if (given < UPDATES) requestAnimationFrame(frame);
    else (window as never as Record<string, unknown>)["poured"] = { seconds: (performance.now() - began) / 1000, long };
  };
  requestAnimationFrame(frame);
}

function give(piece: string, n: number): void {
  setChat(
    produce((chat: ChatState) => {
      const last = chat.blocks.at(-1);
      chat.head.seq += 1;
      if (last?.kind === "text") last.text += piece;
      else chat.blocks.push(made.block(0, { kind: "text", message_id: `s${n}`, text: piece }));
    }),
  );
}

function longText(): string {
  const part = (made.goodTurn().find((one) => one.kind === "text") as Block & { text: string }).text;
  return Array.from({ length: 60 }, (_, n) => `## Part ${n + 1}\n\n${part}`).join("\n");
}
