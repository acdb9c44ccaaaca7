// The protocol log of one agent process: what it and VoxPilot sent each other, to filter and save.
import { createSignal, For, onMount, Show, type JSX } from "solid-js";

import { readFrames, type FrameInfo } from "../../state";
import { createAttempt } from "../controls/attempt";
import { Skeleton } from "../controls/Skeleton";
import { visibleText } from "../question/content/visibleText";
import { clock } from "../when";
import { chosen, save, size, type Way } from "./frames";
import { labels } from "./labels";

/** How many entries are asked for. */
const AT_ONCE = 300;
const WAYS = ["all", "to-agent", "from-agent"] as const;

export function FrameLog(props: { chat: string; process: string }): JSX.Element {
  const attempt = createAttempt();
  const [log, setLog] = createSignal<{ frames: FrameInfo[]; is_whole: boolean }>();
  const [way, setWay] = createSignal<Way | "all">("all");
  const [words, setWords] = createSignal("");
  const load = () => attempt.run(async () => void setLog(await readFrames(props.chat, props.process, AT_ONCE)));
  const shown = () => chosen(log()?.frames ?? [], way(), words());
  onMount(() => void load());
  return (
    <section class="diagnostics" aria-label={labels.log}>
      <h4>{labels.log}</h4>
      <div class="frame-tools">
        <input class="input" type="search" aria-label={labels.filter} placeholder={labels.filterHint} value={words()} onInput={(event) => setWords(event.currentTarget.value)} />
        <select class="input" aria-label={labels.way} onChange={(event) => setWay(event.currentTarget.value as Way | "all")}>
          <For each={WAYS}>{(one) => <option value={one}>{labels.ways[one]}</option>}</For>
        </select>
        <button type="button" class="button" disabled={attempt.isBusy()} onClick={() => void load()}>
          {labels.refresh}
        </button>
        <button type="button" class="button" disabled={shown().length === 0} onClick={() => save(`${props.process}.json`, JSON.stringify(shown(), null, 2), "application/json")}>
          {labels.download}
        </button>
      </div>
      <p class="field-problem" role="alert">
        {attempt.problem()}
      </p>
      <Show when={log()} fallback={<Skeleton lines={4} label={labels.logLoading} />}>
        {(known) => (
          <>
            <Show when={!known().is_whole && known().frames.length > 0}>
              <p class="quiet small">{labels.newest(known().frames.length)}</p>
            </Show>
            <Show when={shown().length > 0} fallback={<p class="quiet">{known().frames.length > 0 ? labels.noMatch : labels.noFrames}</p>}>
              <ol class="frames" tabindex="0" aria-label={labels.log}>
                <For each={shown()}>{(frame) => <Entry frame={frame} />}</For>
              </ol>
            </Show>
          </>
        )}
      </Show>
    </section>
  );
}

function Entry(props: { frame: FrameInfo }): JSX.Element {
  const [isOpen, setOpen] = createSignal(false);
  return (
    <li data-testid="frame" data-way={props.frame.way}>
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <span aria-hidden="true">{labels.arrows[props.frame.way]}</span>
          <span class="unseen">{labels.arrowWords[props.frame.way]}</span>
          <span class="frame-method">
            <code>{visibleText(props.frame.method || labels.kinds[props.frame.kind])}</code>{" "}
            <span class="quiet small">
              {labels.kinds[props.frame.kind]} {visibleText(props.frame.id)}
            </span>
            <Show when={props.frame.is_error}>
              {" "}
              <span class="tool-reason">{labels.error}</span>
            </Show>
          </span>
          <span class="quiet small">{size(props.frame.bytes)}</span>
          <span class="quiet small">{clock(props.frame.at)}</span>
        </summary>
        <Show when={isOpen() && props.frame.text}>
          <pre tabindex="0" aria-label={labels.content}>
            {visibleText(props.frame.text)}
          </pre>
        </Show>
      </details>
    </li>
  );
}
