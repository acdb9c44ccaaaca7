// Who is signed in, and letting another device in.
import { createResource, createSignal, For, Show, type JSX } from "solid-js";

import { listDevices, newLink, revokeDevice, signOut, type DeviceInfo, type NewLink } from "../../state";
import { createAttempt } from "../controls/attempt";
import { CopyButton } from "../controls/CopyButton";
import { Skeleton } from "../controls/Skeleton";
import { QrCode } from "../QrCode";
import { lately } from "../when";

export function DevicesSection(): JSX.Element {
  const [devices, { refetch }] = createResource(listDevices);
  const attempt = createAttempt();
  const revoke = (device: DeviceInfo) =>
    attempt.run(async () => {
      if (device.this_one) return signOut();
      await revokeDevice(device.id);
      await refetch();
    });
  const known = () => (devices.error ? undefined : devices.latest);
  return (
    <>
      <Show when={known()} fallback={<Skeleton lines={4} label="Loading devices" />}>
        {(list) => (
          <ul class="cards">
            <For each={list()}>
              {(device) => (
                <li class="card device" data-testid="device">
                  <div class="device-words">
                    <h3>{device.name}</h3>
                    <p class="quiet small">
                      {device.this_one ? "This browser" : `Last used ${lately(device.last_used_at)}`} · signed in{" "}
                      {lately(device.created_at)}
                    </p>
                  </div>
                  <button
                    type="button"
                    class="button button-bad"
                    disabled={attempt.isBusy()}
                    aria-label={device.this_one ? "Sign this browser out" : `Sign ${device.name} out`}
                    onClick={() => void revoke(device)}
                  >
                    Sign out
                  </button>
                </li>
              )}
            </For>
          </ul>
        )}
      </Show>
      <Show when={devices.error || attempt.problem()}>
        <p class="field-problem" role="alert">
          {attempt.problem() || "The devices could not be listed."}
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
    <section class="settings-part" aria-label="Another device">
      <h2>Another device</h2>
      <p class="quiet">A link signs one browser in, once, within ten minutes.</p>
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
              New link
            </button>
          </p>
        }
      >
        {(made) => (
          <div class="link" data-testid="new-link">
            <QrCode text={made().url} label="The link as a QR code" />
            <div class="link-words">
              <p class="install">
                <code>{made().url}</code>
                <CopyButton text={() => made().url} label="Copy link" />
              </p>
              <Show when={isOnlyHere(made().url)}>
                <p class="quiet small">
                  This address leads to this machine alone. To use a phone, open this page under a name the phone can reach,
                  then make the link there.
                </p>
              </Show>
              <p>
                <button type="button" class="text-button" onClick={() => setLink(undefined)}>
                  Put it away
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
