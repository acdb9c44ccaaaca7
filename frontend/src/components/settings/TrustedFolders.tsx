// Folders in which agents start without asking: from the settings, and from answers in chats.
import { createResource, createSignal, For, Show, type JSX } from "solid-js";

import { changeSettings, distrust, trustedFolders } from "../../state";
import { createAttempt, type Attempt } from "../controls/attempt";
import { CloseIcon, PlusIcon } from "../icons";
import { visibleText } from "../question/content/visibleText";
import { lately } from "../when";
import { isDecided } from "./decided";
import { labels } from "./labels";

export function TrustedFolders(props: { folders: readonly string[]; attempt: Attempt }): JSX.Element {
  const [wished, setWished] = createSignal("");
  const put = (folders: string[]) => props.attempt.run(() => changeSettings({ trusted_folders: folders }));
  return (
    <section class="settings-part" aria-label={labels.trust.title}>
      <h2>{labels.trust.title}</h2>
      <p class="quiet">
        {labels.trust.help}
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
          aria-label={labels.trust.field}
          placeholder={labels.trust.placeholder}
          autocapitalize="off"
          spellcheck={false}
          disabled={isDecided("trusted_folders")}
          value={wished()}
          onInput={(event) => setWished(event.currentTarget.value)}
        />
        <button type="submit" class="button" disabled={!wished().trim() || props.attempt.isBusy()}>
          <PlusIcon />
          {labels.trust.add}
        </button>
      </form>
      <TrustedWhenAsked />
    </section>
  );
}

/** Folders trusted in answer to a chat's question. */
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
        <h3>{labels.trust.fromChats}</h3>
        <p class="quiet">{labels.trust.fromChatsHelp}</p>
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
          {attempt.problem() || labels.trust.notListed}
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
        aria-label={labels.trust.remove(props.path)}
        disabled={props.isBusy}
        onClick={() => props.onRemove()}
      >
        <CloseIcon />
      </button>
    </li>
  );
}
