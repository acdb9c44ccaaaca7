// The details of an expanded tool call.
import { createMemo, createSignal, For, Match, Show, Switch, type JSX } from "solid-js";

import { wholeEvent, type ToolBlock, type ToolContent } from "../../state";
import { CopyButton } from "../controls/copy/CopyButton";
import { Diff } from "../diff/Diff";
import { Fold } from "../controls/fold/Fold";
import { useChatContext } from "../conversation/chatContext";
import { FileIcon } from "../icons";
import { within } from "../paths";
import { visibleText } from "../question/content/visibleText";
import { ContentPartView } from "./ContentPart";
import { CutNote } from "./CutNote";
import { JsonText } from "./JsonText";
import { NamedTerminal } from "./terminal/Terminal";
import { TerminalText } from "./terminal/TerminalText";
import { load, placesOf, uncut, type WholeEvents } from "./uncut";
import { commandOf, diffsOf, exitCodeOf, folderOfCommand, outputText, textOf } from "./toolLabels";
import { labels } from "./labels";

/** Kinds whose text is prose, not program output. */
const PROSE = new Set(["think", "fetch", "other", "switch_mode"]);

export function ToolDetail(props: { block: ToolBlock }): JSX.Element {
  const context = useChatContext();
  const [loaded, setLoaded] = createSignal<WholeEvents>(new Map());
  const block = createMemo(() => uncut(props.block, loaded()));
  async function loadAll() {
    const more = await load(context.chatId, placesOf(block()));
    setLoaded((before) => new Map([...before, ...more]));
  }
  const hasText = () => block().content.some((content) => textOf(content)?.trim());
  const output = () => (hasText() ? null : outputText(block().output));
  const name = (part: string) => `${context.chatId}:${props.block.pos}:${part}`;
  return (
    <div class="tool-detail">
      <Show when={commandOf(block())}>{(command) => <Command command={command()} folder={folderOfCommand(block())} />}</Show>
      <Places block={block()} />
      <For each={block().content}>{(content) => <Content content={content} kind={block().tool_kind} />}</For>
      <Show when={output()}>{(text) => <TerminalText text={text()} label={labels.output} />}</Show>
      <Show when={props.block.result}>{(result) => <Result result={result()} />}</Show>
      <Show when={exitCodeOf(block())}>{(code) => <p class="exit-code">{labels.exitStatus(code())}</p>}</Show>
      <Show when={placesOf(block()).length > 0}>
        <CutNote size={block().size} onLoad={loadAll} />
      </Show>
      <Show when={block().input !== undefined || block().output !== undefined}>
        <Fold name={name("raw")} class="raw" summary={<span class="quiet">{labels.raw}</span>}>
          <JsonText value={block().input} label={labels.input} />
          <Show when={block().output !== undefined}>
            <JsonText value={block().output} label={labels.output} />
          </Show>
        </Fold>
      </Show>
    </div>
  );
}

/** What one of the assistant's tools returned. */
function Result(props: { result: NonNullable<ToolBlock["result"]> }): JSX.Element {
  const context = useChatContext();
  const [whole, setWhole] = createSignal<string>();
  const text = () => whole() ?? (props.result.display || props.result.content);
  async function load() {
    const event = await wholeEvent<"tool-result">(context.chatId, props.result.seq);
    setWhole(event.display || event.content);
  }
  return (
    <div classList={{ "result-failed": props.result.is_error }}>
      <TerminalText text={text()} label={props.result.is_error ? labels.error : labels.result} />
      <Show when={props.result.cut && whole() === undefined}>
        <CutNote size={undefined} onLoad={load} />
      </Show>
    </div>
  );
}

/** A command exactly as it will run or ran. */
export function Command(props: { command: string; folder: string | null }): JSX.Element {
  const context = useChatContext();
  return (
    <div class="command">
      <pre tabindex="0" aria-label={labels.command}>
        {visibleText(props.command)}
      </pre>
      <CopyButton text={() => props.command} label={labels.copyCommand} />
      <Show when={props.folder}>
        {(folder) => <p class="command-folder">{labels.inFolder(visibleText(within(context.workspace, folder())))}</p>}
      </Show>
    </div>
  );
}

function Places(props: { block: ToolBlock }): JSX.Element {
  const context = useChatContext();
  const shown = () => new Set(diffsOf(props.block.content).map((diff) => diff.path));
  const places = () => props.block.locations.filter((place) => place.path && !shown().has(place.path));
  return (
    <Show when={places().length > 0}>
      <ul class="places" aria-label={labels.files}>
        <For each={places()}>
          {(place) => (
            <li class="place">
              <FileIcon />
              <span class="mono">
                {visibleText(within(context.workspace, place.path ?? ""))}
                <Show when={place.line}>:{place.line}</Show>
              </span>
              <CopyButton text={() => place.path ?? ""} label={labels.copyPath} />
            </li>
          )}
        </For>
      </ul>
    </Show>
  );
}

function Content(props: { content: ToolContent; kind: string }): JSX.Element {
  const part = () => (props.content.type === "content" ? props.content.content : undefined);
  const diff = () => diffsOf([props.content])[0];
  return (
    <Switch fallback={<JsonText value={props.content} label={props.content.type ?? labels.content} />}>
      <Match when={diff()}>{(shown) => <Diff content={shown()} />}</Match>
      <Match when={part()?.type === "text" && !part()?.text?.trim()}>{null}</Match>
      <Match when={part()}>{(shown) => <ContentPartView part={shown()} isProse={PROSE.has(props.kind)} />}</Match>
      <Match when={props.content.type === "terminal" && props.content}>
        {(content) => <NamedTerminal id={content().terminalId} />}
      </Match>
    </Switch>
  );
}
