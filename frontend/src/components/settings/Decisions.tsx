// The decision log: what was asked, and how, by whom and where it was decided.
import { createSignal, For, onMount, Show, type JSX } from "solid-js";

import { agents, listDecisions, pathTo, type Decision, type QuestionBlock } from "../../state";
import { createAttempt } from "../controls/attempt";
import { Fold } from "../controls/fold/Fold";
import { CheckIcon, CrossIcon } from "../icons";
import { answerLine } from "../question/answerLine";
import { visibleText } from "../question/content/visibleText";
import { JsonText } from "../tool/JsonText";
import { labels } from "./labels";

const AT_ONCE = 30;

export function Decisions(): JSX.Element {
  const [list, setList] = createSignal<Decision[]>();
  const [hasMore, setHasMore] = createSignal(false);
  const attempt = createAttempt();
  const more = () =>
    attempt.run(async () => {
      const page = await listDecisions(list()?.at(-1)?.id, AT_ONCE);
      setHasMore(page.length === AT_ONCE);
      setList([...(list() ?? []), ...page]);
    });
  onMount(() => void more());
  return (
    <section class="settings-part" aria-label={labels.decisions.title}>
      <h2>{labels.decisions.title}</h2>
      <Show when={list()?.length === 0}>
        <p class="quiet">{labels.decisions.none}</p>
      </Show>
      <ul class="decisions">
        <For each={list()}>
          {(decision) => (
            <li class="decision" data-testid="decision">
              <OneDecision decision={decision} />
            </li>
          )}
        </For>
      </ul>
      <Show when={attempt.problem()}>
        <p class="field-problem" role="alert">
          {attempt.problem()}
        </p>
      </Show>
      <Show when={hasMore()}>
        <button type="button" class="text-button" disabled={attempt.isBusy()} onClick={() => void more()}>
          {labels.decisions.more}
        </button>
      </Show>
    </section>
  );
}

function OneDecision(props: { decision: Decision }): JSX.Element {
  const question = () => asQuestion(props.decision);
  const line = () => answerLine(question());
  const who = () => agents()?.find((one) => one.id === props.decision.agent)?.display_name ?? props.decision.agent;
  return (
    <>
      <p class="decision-title">
        <Show when={line()?.isPositive} fallback={<CrossIcon />}>
          <CheckIcon />
        </Show>
        <span class="breakable">{visibleText(props.decision.title)}</span>
      </p>
      <p class="quiet small">
        {line()?.words}
        <Show when={props.decision.reason}>{(reason) => <span>: “{visibleText(reason())}”</span>}</Show>
      </p>
      <p class="quiet small">
        <Show when={who()}>{visibleText(who()!)} in </Show>
        <a href={pathTo.chat(props.decision.chat)}>{visibleText(props.decision.chat_title || labels.decisions.unnamedChat)}</a>
      </p>
      <Fold name={`decision:${props.decision.id}`} summary={<span class="quiet">{labels.decisions.all}</span>}>
        <JsonText value={question().detail} label={labels.decisions.detail} />
      </Fold>
    </>
  );
}

/** The log stores what the chat showed. */
function asQuestion(decision: Decision): QuestionBlock {
  const { outcome, by, at, option_id, where } = decision;
  return {
    kind: "question",
    pos: 0,
    at: decision.asked_at,
    id: decision.id,
    type: decision.type as QuestionBlock["type"],
    title: decision.title,
    detail: decision.detail as QuestionBlock["detail"],
    options: decision.options as QuestionBlock["options"],
    answer: { question_id: decision.id, outcome, by, at, ...(option_id && { option_id }), ...(where && { where }) },
  };
}
