// Folders in which agents are started without asking: by the settings, and by an answer on a card.
import { createResource, createSignal, For, Show, type JSX } from "solid-js";

import { changeSettings, distrust, trustedFolders } from "../../state";
import { createAttempt, type Attempt } from "../controls/attempt";
import { CloseIcon, PlusIcon } from "../icons";
import { visibleText } from "../question/visibleText";
import { lately } from "../when";
import { isDecided } from "./decided";

export function TrustedFolders(props: { folders: readonly string[]; attempt: Attempt }): JSX.Element {
  const [wished, setWished] = createSignal("");
  const put = (folders: string[]) => props.attempt.run(() => changeSettings({ trusted_folders: folders }));
  return (
    <section class="settings-part" aria-label="Trusted folders">
      <h2>Trusted folders</h2>
      <p class="quiet">
        Agents follow the instructions and run the code of the folder they work in, so you are asked before the first one
        starts there. In these folders, and all in them, nobody is asked.
      </p>
      <ul class="folders">
        <For each={props.folders}>
          {(folder) => (
            <Folder
              path={folder}
              isBusy={props.attempt.isBusy() || isDecided("trusted_folders")}
              onRemove={() => void put(props.folders.filter((one) => one !== folder))}
            />
          )}
        </For>
      </ul>
      <form
        class="add-folder"
        onSubmit={(event) => {
          event.preventDefault();
          const folder = wished().trim();
          if (folder) void put([...props.folders, folder]).then((isDone) => isDone && setWished(""));
        }}
      >
        <input
          class="input mono"
          aria-label="Folder to trust"
          placeholder="/home/you/projects"
          autocapitalize="off"
          spellcheck={false}
          disabled={isDecided("trusted_folders")}
          value={wished()}
          onInput={(event) => setWished(event.currentTarget.value)}
        />
        <button type="submit" class="button" disabled={!wished().trim() || props.attempt.isBusy()}>
          <PlusIcon />
          Trust
        </button>
      </form>
      <TrustedWhenAsked />
    </section>
  );
}

/** Those that somebody trusted when a chat asked. */
function TrustedWhenAsked(): JSX.Element {
  const [folders, { refetch }] = createResource(trustedFolders, { initialValue: [] });
  const attempt = createAttempt();
  const revoke = (path: string) =>
    attempt.run(async () => {
      await distrust(path);
      await refetch();
    });
  return (
    <>
      <Show when={!folders.error && folders.latest.length}>
        <h3>Trusted when a chat asked</h3>
        <p class="quiet">Taken back, the next start of an agent there asks again; one that runs goes on.</p>
        <ul class="folders">
          <For each={folders.latest}>
            {(folder) => (
              <Folder
                path={folder.path}
                since={lately(folder.at)}
                isBusy={attempt.isBusy()}
                onRemove={() => void revoke(folder.path)}
              />
            )}
          </For>
        </ul>
      </Show>
      <Show when={folders.error || attempt.problem()}>
        <p class="field-problem" role="alert">
          {attempt.problem() || "The folders that were trusted when a chat asked could not be listed."}
        </p>
      </Show>
    </>
  );
}

function Folder(props: { path: string; since?: string; isBusy: boolean; onRemove: () => void }): JSX.Element {
  return (
    <li data-testid="trusted-folder">
      <span class="breakable">
        <span class="mono">{visibleText(props.path)}</span>
        <Show when={props.since}> <span class="quiet small">{props.since}</span></Show>
      </span>
      <button
        type="button"
        class="icon-button"
        aria-label={`No longer trust ${props.path}`}
        disabled={props.isBusy}
        onClick={() => props.onRemove()}
      >
        <CloseIcon />
      </button>
    </li>
  );
}
