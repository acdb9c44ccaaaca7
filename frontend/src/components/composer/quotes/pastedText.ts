// Text that was pasted or dropped: a quote if its source is known, else a person may make it one.

import { createSignal, type Accessor } from "solid-js";

import type { Draft } from "../../../state";
import { attachReference } from "../mentions/picker";
import { quoteReference } from "../mentions/references";
import { mayBeQuote, quoteIn, type Brought, type Quote } from "./quotes";

export interface PastedText {
  /** Text in the field that may become a quote; empty if there is none. */
  readonly offer: Accessor<string>;
  /** Whether it became a quote; else it belongs into the field. */
  take(brought: Brought): boolean;
  accept(): void;
  dismiss(): void;
  add(quote: Quote): void;
}

export function createPastedText(draft: Accessor<Draft>): PastedText {
  const [pasted, setPasted] = createSignal("");
  const add = ({ text, source }: Quote) => void attachReference(draft(), quoteReference(text, source));
  /** It may have been changed or sent since. */
  const offer = () => (draft().text.includes(pasted()) ? pasted() : "");
  return {
    offer,
    add,
    take(brought) {
      const quote = quoteIn(brought);
      if (quote) add(quote);
      // As the field will hold it.
      const text = brought.getData("text/plain").replace(/\r\n?/g, "\n");
      setPasted(!quote && mayBeQuote(text) ? text : "");
      return quote !== undefined;
    },
    accept() {
      const text = offer();
      setPasted("");
      if (text === "") return;
      draft().set(draft().text.replace(text, () => ""));
      add({ text: text.trim(), source: "" });
    },
    dismiss: () => setPasted(""),
  };
}
