// A hint in running text: commands in backticks are shown as code.
import { For, type JSX } from "solid-js";

import { visibleText } from "../question/content/visibleText";

export function Hint(props: { text: string }): JSX.Element {
  // Parts at odd places stood between two backticks; a lone last one is part of the text.
  const parts = () => {
    const found = visibleText(props.text).split("`");
    return found.length % 2 === 1 ? found : [...found.slice(0, -2), found.slice(-2).join("`")];
  };
  return <For each={parts()}>{(part, index) => (index() % 2 === 1 ? <code>{part}</code> : part)}</For>;
}
