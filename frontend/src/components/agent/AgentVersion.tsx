// The installed version of an agent, and whether it is recent enough.
import { Show, type JSX } from "solid-js";

import type { AgentInfo } from "../../state";
import { visibleText } from "../question/content/visibleText";
import { labels } from "./labels";

export function AgentVersion(props: { agent: AgentInfo }): JSX.Element {
  const version = () => props.agent.version ?? props.agent.seen?.version;
  return (
    <>
      {visibleText(version() ?? labels.unknownVersion)}
      <Show when={props.agent.version_ok === false}>
        <span class="version-old"> {labels.minimumVersion(props.agent.minimum_version)}</span>
      </Show>
      <Show when={props.agent.version_ok && props.agent.minimum_version}>
        <span class="quiet"> {labels.minimumVersion(props.agent.minimum_version)}</span>
      </Show>
    </>
  );
}
