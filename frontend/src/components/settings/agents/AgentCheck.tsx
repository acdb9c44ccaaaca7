// Testing an agent: each step, and what to do if one failed.
import { createSignal, For, onCleanup, Show, type JSX } from "solid-js";

import { checkAgent, refreshAgents, type CheckDone, type CheckStep } from "../../../state";
import { wordsOf } from "../../controls/attempt";
import { Hint } from "../../controls/Hint";
import { Spinner } from "../../controls/Spinner";
import { CheckIcon, CrossIcon, WarningIcon } from "../../icons";
import { visibleText } from "../../question/content/visibleText";
import { duration } from "../../when";
import { labels } from "../labels";

export function AgentCheck(props: { agent: string; onClose: () => void }): JSX.Element {
  const [steps, setSteps] = createSignal<CheckStep[]>([]);
  const [done, setDone] = createSignal<CheckDone>();
  const [problem, setProblem] = createSignal("");
  const leaving = new AbortController();
  onCleanup(() => leaving.abort());
  void run();

  async function run() {
    try {
      setDone(await checkAgent(props.agent, (step) => setSteps([...steps(), step]), leaving.signal));
      await refreshAgents();
    } catch (error) {
      if (!leaving.signal.aborted) setProblem(wordsOf(error));
    }
  }
  return (
    <div class="check" data-testid="agent-check" data-ok={done()?.ok}>
      <ol class="check-steps" aria-live="polite">
        <For each={steps()}>{(step) => <Step step={step} />}</For>
      </ol>
      <Show when={problem()}>
        <p class="field-problem" role="alert">
          {problem()}
        </p>
      </Show>
      <p class="check-end">
        <Show
          when={done()}
          fallback={
            <Show when={!problem()}>
              <Spinner /> {labels.check.testing}
            </Show>
          }
        >
          {(end) => (
            <strong>
              {end().ok ? labels.check.passed : labels.check.failed} <span class="quiet">· {duration(end().seconds)}</span>
            </strong>
          )}
        </Show>
        <button type="button" class="text-button" onClick={() => props.onClose()}>
          {done() || problem() ? labels.check.close : labels.check.stop}
        </button>
      </p>
    </div>
  );
}

function Step(props: { step: CheckStep }): JSX.Element {
  return (
    <li class={`check-step check-${props.step.outcome}`}>
      {props.step.outcome === "ok" ? <CheckIcon /> : props.step.outcome === "warning" ? <WarningIcon /> : <CrossIcon />}
      <div>
        <p>
          {visibleText(props.step.text)}
          <Show when={props.step.seconds >= 0.1}>
            <span class="quiet"> {duration(props.step.seconds)}</span>
          </Show>
        </p>
        <Show when={props.step.hint}>
          <p class="quiet"><Hint text={props.step.hint} /></p>
        </Show>
        <Show when={props.step.detail}>
          <pre class="check-detail">{visibleText(props.step.detail)}</pre>
        </Show>
      </div>
    </li>
  );
}
