// Long text was pasted: it can become a quote.
import { Show, type JSX } from "solid-js";

import { CloseIcon, QuoteIcon } from "../../icons";
import { labels } from "../mentions/labels";
import type { PastedText } from "./pastedText";

export function PastedOffer(props: { pasted: PastedText }): JSX.Element {
  return (
    <Show when={props.pasted.offer()}>
      <div class="offers">
        <div class="offer" data-testid="pasted-offer">
          <button type="button" class="offer-button" onClick={() => props.pasted.accept()}>
            <QuoteIcon />
            <span class="quiet">{labels.pasted}</span>
            <span class="offer-name">{labels.makeQuote}</span>
          </button>
          <button type="button" class="icon-button" aria-label={labels.dismissQuote} onClick={() => props.pasted.dismiss()}>
            <CloseIcon />
          </button>
        </div>
      </div>
    </Show>
  );
}
