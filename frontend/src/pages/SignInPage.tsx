// Signing in: by the link that was opened, or by a code that is typed or pasted.
import { createSignal, Show, type JSX } from "solid-js";

import "../styles/index.css";
import { session, signIn } from "../state";
import { CopyButton } from "../components/controls/CopyButton";
import { Spinner } from "../components/controls/Spinner";
import { Logo } from "../components/icons";

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
        <h1>Sign in to VoxPilot</h1>
        <p class="quiet">
          This page can run programs on its machine, so each browser has to show once that it is yours.
        </p>
        <Show when={session.problem}>
          {(problem) => (
            <div class="sign-in-problem" role="alert">
              <strong>{problem().message}</strong> {problem().hint}
            </div>
          )}
        </Show>
        <label class="field">
          <span class="field-label">Link or code</span>
          <input
            class="input mono"
            name="code"
            autocomplete="one-time-code"
            autocapitalize="off"
            spellcheck={false}
            autofocus
            placeholder="Paste it here"
            disabled={isBusy()}
            value={code()}
            onInput={(event) => setCode(event.currentTarget.value)}
          />
        </label>
        <button type="submit" class="button button-main" disabled={isBusy() || !code().trim()}>
          <Show when={isBusy()} fallback="Sign in">
            <Spinner /> Signing in
          </Show>
        </button>
        <div class="sign-in-help">
          <p>For a new link, run this on the machine where VoxPilot runs:</p>
          <p class="install">
            <code>voxpilot link</code>
            <CopyButton text={() => "voxpilot link"} label="Copy command" />
          </p>
          <p class="quiet small">
            In its own folder, <code>make link</code> does the same. A link works once, within ten minutes.
          </p>
        </div>
      </form>
    </main>
  );
}
