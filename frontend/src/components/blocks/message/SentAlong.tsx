// One quiet line under a message: what was sent along with it. Opens to the list, with what was left out and why.
import { For, Show, type JSX } from "solid-js";

import type { SentContext } from "../../../state";
import { bytesWords } from "../../composer/skills/bytes";
import { Fold } from "../../controls/fold/Fold";
import { useChatContext } from "../../conversation/chatContext";
import { visibleText } from "../../question/content/visibleText";
import { labels } from "../labels";
import { sentAlongLine, sentFileName } from "./sentWords";

export function SentAlong(props: { id: string; sent: SentContext }): JSX.Element {
  const context = useChatContext();
  return (
    <Show when={sentAlongLine(props.sent)}>
      {(line) => (
        <div class="sent-along" data-testid="sent-along">
          <Fold name={`sent ${context.chatId} ${props.id}`} summary={<span>{line()}</span>}>
            <SentList sent={props.sent} workspace={context.workspace} />
          </Fold>
        </div>
      )}
    </Show>
  );
}

function SentList(props: { sent: SentContext; workspace: string | undefined }): JSX.Element {
  return (
    <dl class="sent-list">
      <Group
        name={labels.files}
        entries={props.sent.files.map((file) => ({
          name: sentFileName(file, props.workspace),
          note: `${labels.how[file.how]}, ${bytesWords(file.bytes)}`,
          detail: file.path,
        }))}
      />
      <Group name={labels.skills} entries={props.sent.skills.map((skill) => ({ name: skill.name, note: labels.why[skill.why], detail: skill.path }))} />
      <Group
        name={labels.skillList}
        entries={props.sent.indexed > 0 ? [{ name: labels.skillCount(props.sent.indexed), note: props.sent.skills_folder ?? "" }] : []}
      />
      <Group
        name={labels.instructions}
        entries={props.sent.instructions.map((name) => ({ name: name === "personal" ? labels.personal : name, note: "" }))}
      />
      <Group name={labels.leftOut} entries={props.sent.left_out.map(({ what, why }) => ({ name: what, note: why }))} isProblem />
    </dl>
  );
}

function Group(props: {
  name: string;
  entries: readonly { name: string; note: string; detail?: string }[];
  isProblem?: boolean;
}): JSX.Element {
  return (
    <Show when={props.entries.length > 0}>
      <dt classList={{ "sent-left-out": props.isProblem ?? false }}>{props.name}</dt>
      <dd>
        <ul>
          <For each={props.entries}>
            {(entry) => (
              <li title={entry.detail && visibleText(entry.detail)}>
                <span class="breakable" dir="auto">{visibleText(entry.name)}</span>
                <Show when={entry.note}>
                  {" "}
                  <span class="sent-note breakable">{visibleText(entry.note)}</span>
                </Show>
              </li>
            )}
          </For>
        </ul>
      </dd>
    </Show>
  );
}
