// Colours in code.
//
// Lives here: loading the colouring library when first needed, and colouring code that has wholly come. It writes
// HTML, so what it writes goes through the sanitiser like everything else.
import { sanitised } from "./sanitise";
import type { CodeFrame } from "./code";

/** More would take longer than anybody would wait for colours. */
const MOST_CHARACTERS = 40_000;

export function colour(frame: CodeFrame): void {
  const text = frame.code.textContent ?? "";
  if (!frame.language || text.length > MOST_CHARACTERS) return;
  void import("./languages").then(({ highlighted }) => {
    // Text may have been added, or the whole frame drawn anew, while the library was on its way.
    const html = frame.code.isConnected && frame.code.textContent === text ? highlighted(text, frame.language) : null;
    if (html !== null) frame.code.replaceChildren(sanitised(html));
  });
}
