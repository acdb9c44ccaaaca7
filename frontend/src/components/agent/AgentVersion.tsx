// Which version of an agent there is, and whether it will do.
import { Show, type JSX } from "solid-js";

import type { AgentInfo } from "../../state";
import { visibleText } from "../question/visibleText";

export function AgentVersion(props: { agent: AgentInfo }): JSX.Element {
  const version = () => props.agent.version ?? props.agent.seen?.version;
  return (
    <>
      {visibleText(version() ?? "not known yet")}
      <Show when={props.agent.version_ok === false}>
        <span class="version-old"> {props.agent.minimum_version} or later is needed</span>
      </Show>
      <Show when={props.agent.version_ok && props.agent.minimum_version}>
        <span class="quiet"> {props.agent.minimum_version} or later is needed</span>
      </Show>
    </>
  );
}
