// A report about a problem: the person reads it, then copies or saves it. The page sends it nowhere.
import { createSignal, onMount, Show, type JSX } from "solid-js";

import { readReport } from "../../state";
import { createAttempt } from "../controls/attempt";
import { CopyButton } from "../controls/copy/CopyButton";
import { Skeleton } from "../controls/Skeleton";
import { visibleText } from "../question/content/visibleText";
import { save } from "./frames";
import { labels } from "./labels";

export function Report(props: { chat: string }): JSX.Element {
  const attempt = createAttempt();
  const [text, setText] = createSignal<string>();
  onMount(() => void attempt.run(async () => void setText(await readReport(props.chat))));
  return (
    <div class="dialog-body" data-testid="report">
      <p>{labels.reportHelp}</p>
      <p class="field-problem" role="alert">
        {attempt.problem()}
      </p>
      <Show when={text()} fallback={<Skeleton lines={6} label={labels.reportLoading} />}>
        {(written) => (
          <>
            <pre class="report-text" tabindex="0" aria-label={labels.report}>
              {visibleText(written())}
            </pre>
            <div class="dialog-foot">
              <CopyButton text={written} label={labels.copyReport} words={labels.copy} />
              <button type="button" class="button" onClick={() => save("voxpilot-report.txt", written(), "text/plain")}>
                {labels.download}
              </button>
            </div>
          </>
        )}
      </Show>
    </div>
  );
}
