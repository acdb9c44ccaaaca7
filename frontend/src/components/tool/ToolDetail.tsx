// Everything a tool call has to show, once it is opened.
import { createMemo, createSignal, For, Match, Show, Switch, type JSX } from "solid-js";

import { wholeEvent, type DiffContent, type ToolBlock, type ToolContent } from "../../state";
import { CopyButton } from "../controls/CopyButton";
import { Diff } from "../diff/Diff";
import { Fold } from "../controls/Fold";
import { useHere } from "../conversation/here";
import { FileIcon } from "../icons";
import { within } from "../paths";
import { visibleText } from "../question/visibleText";
import { ContentPartView } from "./ContentPart";
import { CutNote } from "./CutNote";
import { JsonText } from "./JsonText";
import { NamedTerminal } from "./Terminal";
import { TerminalText } from "./TerminalText";
import { load, placesOf, uncut, type WholeEvents } from "./uncut";
import { commandOf, diffsOf, exitCodeOf, folderOfCommand, outputText, textOf } from "./words";

/** Kinds whose text is meant to be read, not output of a program. */
const PROSE = new Set(["think", "fetch", "other", "switch_mode"]);

export function ToolDetail(props: { block: ToolBlock }): JSX.Element {
  const here = useHere();
  const [loaded, setLoaded] = createSignal<WholeEvents>(new Map());
  const block = createMemo(() => uncut(props.block, loaded()));
  async function loadAll() {
    const more = await load(here.chatId, placesOf(block()));
    setLoaded((before) => new Map([...before, ...more]));
  }
  const hasText = () => block().content.some((content) => textOf(content)?.trim());
  const output = () => (hasText() ? null : outputText(block().output));
  const name = (part: string) => `${here.chatId}:${props.block.pos}:${part}`;
  return (
    <div class="tool-detail">
      <Show when={commandOf(block())}>{(command) => <Command command={command()} folder={folderOfCommand(block())} />}</Show>
      <Places block={block()} />
      <For each={block().content}>{(content) => <Content content={content} kind={block().tool_kind} />}</For>
      <Show when={output()}>{(text) => <TerminalText text={text()} label="Output" />}</Show>
      <Show when={props.block.result}>{(result) => <Result result={result()} />}</Show>
      <Show when={exitCodeOf(block())}>{(code) => <p class="exit-code">Exit status {code()}</p>}</Show>
      <Show when={placesOf(block()).length > 0}>
        <CutNote size={block().size} onLoad={loadAll} />
      </Show>
      <Show when={block().input !== undefined || block().output !== undefined}>
        <Fold name={name("raw")} class="raw" summary={<span class="quiet">As the agent sent it</span>}>
          <JsonText value={block().input} label="Input" />
          <Show when={block().output !== undefined}>
            <JsonText value={block().output} label="Output" />
          </Show>
        </Fold>
      </Show>
    </div>
  );
}

/** What a tool of the assistant's returned. */
function Result(props: { result: NonNullable<ToolBlock["result"]> }): JSX.Element {
  const here = useHere();
  const [whole, setWhole] = createSignal<string>();
  const text = () => whole() ?? (props.result.display || props.result.content);
  async function load() {
    const event = (await wholeEvent(here.chatId, props.result.seq)) as { display?: string; content?: string };
    setWhole(event.display || event.content || "");
  }
  return (
    <div classList={{ "result-failed": props.result.is_error }}>
      <TerminalText text={text()} label={props.result.is_error ? "What went wrong" : "Result"} />
      <Show when={props.result.cut && whole() === undefined}>
        <CutNote size={undefined} onLoad={load} />
      </Show>
    </div>
  );
}

/** A command exactly as it will run or ran. */
export function Command(props: { command: string; folder: string | null }): JSX.Element {
  const here = useHere();
  return (
    <div class="command">
      <pre tabindex="0" aria-label="Command">
        {visibleText(props.command)}
      </pre>
      <CopyButton text={() => props.command} label="Copy command" />
      <Show when={props.folder}>
        {(folder) => <p class="command-folder">in {visibleText(within(here.workspace, folder()))}</p>}
      </Show>
    </div>
  );
}

function Places(props: { block: ToolBlock }): JSX.Element {
  const here = useHere();
  const shown = () => new Set(diffsOf(props.block.content).map((diff) => diff.path));
  const places = () => props.block.locations.filter((place) => place.path && !shown().has(place.path));
  return (
    <Show when={places().length > 0}>
      <ul class="places" aria-label="Files">
        <For each={places()}>
          {(place) => (
            <li class="place">
              <FileIcon />
              <span class="mono">
                {visibleText(within(here.workspace, place.path ?? ""))}
                <Show when={place.line}>:{place.line}</Show>
              </span>
              <CopyButton text={() => place.path ?? ""} label="Copy path" />
            </li>
          )}
        </For>
      </ul>
    </Show>
  );
}

function Content(props: { content: ToolContent; kind: string }): JSX.Element {
  const part = () => (props.content.type === "content" ? props.content.content : undefined);
  const isDiff = () => diffsOf([props.content]).length === 1;
  return (
    <Switch fallback={<JsonText value={{ ...props.content } as never} label={props.content.type ?? "Content"} />}>
      <Match when={isDiff()}>
        <Diff content={props.content as DiffContent} />
      </Match>
      <Match when={part()?.type === "text" && !part()?.text?.trim()}>{null}</Match>
      <Match when={part()}>{(shown) => <ContentPartView part={shown()} isProse={PROSE.has(props.kind)} />}</Match>
      <Match when={props.content.type === "terminal" && props.content}>
        {(content) => <NamedTerminal id={content().terminalId} />}
      </Match>
    </Switch>
  );
}
