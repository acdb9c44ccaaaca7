// Syntax highlighting.
//
// Lives here: loading the highlighting library when first needed, and highlighting complete code. It writes
// HTML, which goes through the sanitiser like everything else.
import { sanitised } from "./sanitise";
import type { CodeFrame } from "./code";

/** Highlighting more would take too long. */
const MOST_CHARACTERS = 20_000;

export function colour(frame: CodeFrame): void {
  const text = frame.code.textContent ?? "";
  if (!frame.language || text.length > MOST_CHARACTERS) return;
  void import("./languages").then(({ highlighted }) => {
    // Text may have been added, or the whole frame redrawn, while the library was loading.
    const html = frame.code.isConnected && frame.code.textContent === text ? highlighted(text, frame.language) : null;
    if (html !== null) frame.code.replaceChildren(sanitised(html));
  });
}
