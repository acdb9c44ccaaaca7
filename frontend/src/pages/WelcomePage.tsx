// The welcome page: what this is, which agents are installed, and a demo.
import { createSignal, For, Show, type JSX } from "solid-js";

import { agents, createChat, navigate, pathTo, refreshAgents, unheardWish, type AgentInfo, type ChatWish } from "../state";
import { ErrorCard } from "../components/blocks/ErrorCard";
import { CopyButton } from "../components/controls/copy/CopyButton";
import { Skeleton } from "../components/controls/Skeleton";
import { Spinner } from "../components/controls/Spinner";
import { CheckIcon, Logo, PlusIcon, RetryIcon } from "../components/icons";
import { labels } from "./labels";

const DEMO = "demo";

export default function WelcomePage(): JSX.Element {
  const real = () => agents()?.filter((agent) => agent.id !== DEMO);
  const found = () => real()?.filter((agent) => agent.found) ?? [];
  const missing = () => real()?.filter((agent) => !agent.found) ?? [];
  return (
    <div class="welcome">
      <div class="welcome-column">
        <header class="welcome-head">
          <Logo />
          <h1>{labels.welcome.title}</h1>
          <p class="welcome-words">
            {labels.welcome.intro}
          </p>
        </header>
        <Starting hasAgent={found().length > 0} isDemoFirst={real() !== undefined && found().length === 0} />
        <Show when={real()} fallback={<Skeleton lines={4} label={labels.welcome.loading} />}>
          <section class="agents" aria-label="Agents">
            <div class="agents-head">
              <h2>{found().length > 0 ? labels.welcome.found : labels.welcome.noneFound}</h2>
              <LookAgain />
            </div>
            <ul class="agent-list">
              <For each={[...found(), ...missing()]}>{(agent) => <AgentLine agent={agent} />}</For>
            </ul>
          </section>
        </Show>
      </div>
    </div>
  );
}

function Starting(props: { hasAgent: boolean; isDemoFirst: boolean }): JSX.Element {
  const [isStarting, setStarting] = createSignal(false);
  const [problem, setProblem] = createSignal<{ message: string; hint?: string }>();
  /** Without other agents the demo runs in its scratch folder. A retry repeats the same request. */
  function withAssistant(): ChatWish {
    const unheard = unheardWish();
    if (unheard?.mode === "llm" && !unheard.text) return unheard;
    return { mode: "llm", ...(!props.hasAgent && { agent: DEMO }) };
  }
  async function begin(wish: ChatWish) {
    setStarting(true);
    setProblem(undefined);
    try {
      navigate(pathTo.chat((await createChat(wish)).id));
    } catch (error) {
      setProblem(error as { message: string; hint?: string });
      setStarting(false);
    }
  }
  return (
    <>
      <p class="page-actions">
        <a class="button" classList={{ "button-main": !props.isDemoFirst }} href={pathTo.newChat}>
          <PlusIcon />
          {labels.newChat}
        </a>
        <button
          type="button"
          class="button"
          classList={{ "button-main": props.isDemoFirst }}
          disabled={isStarting()}
          onClick={() => void begin({ agent: DEMO, text: "Show me what you can do." })}
        >
          <Show when={isStarting()}>
            <Spinner />
          </Show>
          {labels.welcome.demo}
        </button>
        <button type="button" class="button" disabled={isStarting()} onClick={() => void begin(withAssistant())}>
          {labels.welcome.assistant}
        </button>
        <span class="quiet small">{labels.welcome.demoHelp}</span>
      </p>
      <Show when={problem()}>
        {(error) => <ErrorCard name="welcome" message={error().message} hint={error().hint} />}
      </Show>
    </>
  );
}

function AgentLine(props: { agent: AgentInfo }): JSX.Element {
  return (
    <li class="agent">
      <span class="agent-sign" classList={{ "agent-found": props.agent.found !== null }}>
        <Show when={props.agent.found}>
          <CheckIcon />
        </Show>
      </span>
      <div class="agent-words">
        <p class="agent-name">{props.agent.display_name}</p>
        <Show
          when={props.agent.found}
          fallback={
            <p class="install">
              <code>{props.agent.install_hint}</code>
              <CopyButton text={() => props.agent.install_hint} label={labels.copyInstall(props.agent.display_name)} />
            </p>
          }
        >
          {(path) => <p class="agent-path mono cut">{path()}</p>}
        </Show>
      </div>
    </li>
  );
}

function LookAgain(): JSX.Element {
  const [isLooking, setLooking] = createSignal(false);
  async function look() {
    setLooking(true);
    await refreshAgents().catch(() => undefined);
    setLooking(false);
  }
  return (
    <button type="button" class="text-button" disabled={isLooking()} onClick={() => void look()}>
      <Show when={isLooking()} fallback={<RetryIcon />}>
        <Spinner />
      </Show>
      {labels.welcome.refresh}
    </button>
  );
}
