// Signing in with the opened link, or with a typed or pasted code.
import { createSignal, Show, type JSX } from "solid-js";

import "../styles/index.css";
import { session, signIn } from "../state";
import { CopyButton } from "../components/controls/copy/CopyButton";
import { Hint } from "../components/controls/Hint";
import { Spinner } from "../components/controls/Spinner";
import { Logo } from "../components/icons";
import { labels } from "./labels";

export default function SignInPage(): JSX.Element {
  const [code, setCode] = createSignal("");
  const isBusy = () => session.state === "signing-in";
  return (
    <main class="sign-in">
      <form
        class="sign-in-card"
        onSubmit={(event) => {
          event.preventDefault();
          if (code().trim()) void signIn(code());
        }}
      >
        <Logo />
        <h1>{labels.signIn.title}</h1>
        <p class="quiet">
          {labels.signIn.why}
        </p>
        <Show when={session.problem}>
          {(problem) => (
            <div class="sign-in-problem" role="alert">
              <strong>{problem().message}</strong> <Hint text={problem().hint} />
            </div>
          )}
        </Show>
        <label class="field">
          <span class="field-label">{labels.signIn.field}</span>
          <input
            class="input mono"
            name="code"
            autocomplete="one-time-code"
            autocapitalize="off"
            spellcheck={false}
            autofocus
            placeholder={labels.signIn.placeholder}
            disabled={isBusy()}
            value={code()}
            onInput={(event) => setCode(event.currentTarget.value)}
          />
        </label>
        <button type="submit" class="button button-main" disabled={isBusy() || !code().trim()}>
          <Show when={isBusy()} fallback={labels.signIn.signIn}>
            <Spinner /> {labels.signIn.signingIn}
          </Show>
        </button>
        <div class="sign-in-help">
          <p>{labels.signIn.getLink}</p>
          <p class="install">
            <code>voxpilot link</code>
            <CopyButton text={() => "voxpilot link"} label={labels.signIn.copyCommand} />
          </p>
          <p class="quiet small">
            In a source checkout, run <code>make link</code>. Each link works once and expires after ten minutes.
          </p>
        </div>
      </form>
    </main>
  );
}
