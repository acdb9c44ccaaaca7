// Ways for a tab to reach the hub.
//
// Lives here: the hub as a shared worker; else in one leading tab, elected by
// a lock; else in this tab alone. Lives elsewhere: the hub (hub.ts), what the
// tab does with its messages (state/hub.ts).

import { newKey } from "../api/client";
import { Hub } from "./hub";
import type { ToHub, ToTab } from "./messages";
import { onWaking } from "./waking";

export interface Port {
  post(message: ToHub): void;
  /** The hub does not respond: find or become another one. */
  renew(): void;
}

export interface Listener {
  hear(message: ToTab): void;
  /** Another hub has taken over and does not know this tab yet. */
  met(): void;
}

/** The best way this browser has; `url` is that of the shared worker. */
export function openPort(url: () => string, listener: Listener): Port {
  if (typeof SharedWorker !== "undefined") return viaWorker(url, listener);
  return withoutWorker(listener);
}

function withoutWorker(listener: Listener): Port {
  const canLead = typeof BroadcastChannel !== "undefined" && navigator.locks !== undefined;
  return canLead ? viaLeader(listener) : alone(listener);
}

function viaWorker(url: () => string, listener: Listener): Port {
  let port: MessagePort;
  let other: Port | undefined;
  let renewals = 0;
  const start = () => {
    const worker = new SharedWorker(url(), { type: "module", name: "voxpilot" });
    // It may be gone after an upgrade of the server; this page still works.
    worker.onerror = doWithout;
    port = worker.port;
    port.onmessage = (event: MessageEvent<ToTab>) => {
      renewals = 0;
      listener.hear(event.data);
    };
  };
  const doWithout = () => {
    other ??= withoutWorker(listener);
    listener.met();
  };
  start();
  return {
    post: (message) => (other === undefined ? port.postMessage(message) : other.post(message)),
    renew() {
      if (other !== undefined) return other.renew();
      port.postMessage({ say: "bye" } satisfies ToHub);
      port.close();
      if (++renewals > 1) return doWithout();
      start();
      listener.met();
    },
  };
}

type Said = { from: string; message: ToHub } | { to: string; message: ToTab } | { leads: true };

const CHANNEL = "voxpilot";
const LOCK = "voxpilot-hub";

/** The tab that holds the lock runs the hub; all tabs use one channel. */
function viaLeader(listener: Listener): Port {
  const me = newKey();
  const channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = (event: MessageEvent<Said>) => {
    const said = event.data;
    if ("to" in said && said.to === me) listener.hear(said.message);
    if ("leads" in said) listener.met();
  };
  void leadWhenFree();
  return {
    post: (message) => channel.postMessage({ from: me, message } satisfies Said),
    renew: () => void lead({ steal: true }),
  };
}

async function leadWhenFree(): Promise<void> {
  await lead({});
}

async function lead(how: LockOptions): Promise<void> {
  let stop: () => void = () => undefined;
  try {
    await navigator.locks.request(LOCK, how, () => {
      stop = runHub();
      return new Promise(() => undefined);
    });
  } catch {
    // Another tab took over while this one slept; wait for the lock again.
    stop();
    await lead({});
  }
}

function runHub(): () => void {
  const hub = new Hub();
  const channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = (event: MessageEvent<Said>) => {
    const said = event.data;
    if (!("from" in said)) return;
    const send = (message: ToTab) => channel.postMessage({ to: said.from, message } satisfies Said);
    hub.hear(said.from, said.message, send);
  };
  const sleepOn = onWaking(() => hub.woke());
  channel.postMessage({ leads: true } satisfies Said);
  return () => {
    sleepOn();
    hub.close();
    channel.close();
  };
}

/** A hub for this tab alone, if tabs cannot communicate. */
function alone(listener: Listener): Port {
  const hub = new Hub();
  onWaking(() => hub.woke());
  // The hub keeps changing its state, so the tab gets a copy.
  const send = (message: ToTab) => listener.hear(structuredClone(message));
  return { post: (message) => hub.hear("this", message, send), renew: () => undefined };
}
