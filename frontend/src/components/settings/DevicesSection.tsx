// Signed-in devices, and links for new ones.
import { createResource, createSignal, For, Show, type JSX } from "solid-js";

import {
  confirmDevice,
  listDevices,
  newLink,
  revokeDevice,
  session,
  signOut,
  type DeviceInfo,
  type NewLink,
} from "../../state";
import { createAttempt } from "../controls/attempt";
import { CopyButton } from "../controls/copy/CopyButton";
import { Skeleton } from "../controls/Skeleton";
import { QrCode } from "../QrCode";
import { lately } from "../when";
import { labels } from "./labels";

export function DevicesSection(): JSX.Element {
  const [devices, { refetch }] = createResource(listDevices);
  const attempt = createAttempt();
  const revoke = (device: DeviceInfo) =>
    attempt.run(async () => {
      if (device.this_one) return signOut();
      await revokeDevice(device.id);
      await refetch();
    });
  const confirm = (device: DeviceInfo) =>
    attempt.run(async () => {
      await confirmDevice(device.id);
      await refetch();
    });
  const known = () => (devices.error ? undefined : devices.latest);
  return (
    <>
      <Show when={known()} fallback={<Skeleton lines={4} label={labels.devices.loading} />}>
        {(list) => (
          <ul class="cards">
            <For each={list()}>
              {(device) => (
                <li class="card device" data-testid="device">
                  <div class="device-words">
                    <h3>{device.name}</h3>
                    <p class="quiet small">
                      {device.this_one ? labels.devices.thisBrowser : labels.devices.lastUsed(lately(device.last_used_at))} · {labels.devices.signedIn}{" "}
                      {lately(device.created_at)}
                    </p>
                    <Show when={!device.confirmed}>
                      <p class="small">
                        {labels.devices.unconfirmed}{" "}
                        {session.isConfirmed ? labels.devices.confirmIfYours : labels.devices.confirmElsewhere}
                      </p>
                    </Show>
                  </div>
                  <div class="device-buttons">
                    <Show when={!device.confirmed && session.isConfirmed}>
                      <button
                        type="button"
                        class="button"
                        disabled={attempt.isBusy()}
                        aria-label={labels.devices.confirmDevice(device.name)}
                        onClick={() => void confirm(device)}
                      >
                        {labels.devices.confirm}
                      </button>
                    </Show>
                    <button
                      type="button"
                      class="button button-bad"
                      disabled={attempt.isBusy()}
                      aria-label={device.this_one ? labels.devices.signOutThis : labels.devices.signOutDevice(device.name)}
                      onClick={() => void revoke(device)}
                    >
                      {labels.signOut}
                    </button>
                  </div>
                </li>
              )}
            </For>
          </ul>
        )}
      </Show>
      <Show when={devices.error || attempt.problem()}>
        <p class="field-problem" role="alert">
          {attempt.problem() || labels.devices.notListed}
        </p>
      </Show>
      <AnotherDevice />
    </>
  );
}

function AnotherDevice(): JSX.Element {
  const [link, setLink] = createSignal<NewLink>();
  const attempt = createAttempt();
  return (
    <section class="settings-part" aria-label={labels.devices.add}>
      <h2>{labels.devices.add}</h2>
      <p class="quiet">{labels.devices.addHelp}</p>
      <Show
        when={link()}
        fallback={
          <p>
            <button
              type="button"
              class="button button-main"
              disabled={attempt.isBusy()}
              onClick={() => void attempt.run(async () => void setLink(await newLink()))}
            >
              {labels.devices.newLink}
            </button>
          </p>
        }
      >
        {(made) => (
          <div class="link" data-testid="new-link">
            <QrCode text={made().url} label={labels.devices.qr} />
            <div class="link-words">
              <p class="install">
                <code>{made().url}</code>
                <CopyButton text={() => made().url} label={labels.devices.copyLink} />
              </p>
              <Show when={isOnlyHere(made().url)}>
                <p class="quiet small">
                  {labels.devices.localOnly}
                </p>
              </Show>
              <p>
                <button type="button" class="text-button" onClick={() => setLink(undefined)}>
                  {labels.devices.hide}
                </button>
              </p>
            </div>
          </div>
        )}
      </Show>
      <Show when={attempt.problem()}>
        <p class="field-problem" role="alert">
          {attempt.problem()}
        </p>
      </Show>
    </section>
  );
}

function isOnlyHere(url: string): boolean {
  return /^https?:\/\/(127\.|\[::1\]|([^/]*\.)?localhost[:/])/.test(url);
}
