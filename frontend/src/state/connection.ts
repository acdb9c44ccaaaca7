// How the link to the server is.
//
// Lives here: what the hub says of it, for people to see. Lives elsewhere: the
// link itself (worker/line.ts).

import { createSignal } from "solid-js";

import type { ConnectionState } from "../worker/messages";

export type { ConnectionState };

declare const __VERSION__: string;

export interface Connection {
  readonly state: ConnectionState;
  /** The server's version when it is not the one this page was made for: time to reload. */
  readonly newVersion: string | undefined;
}

const [state, setState] = createSignal<ConnectionState>("reconnecting");
const [version, setVersion] = createSignal<string>();
let check: () => void = () => undefined;

export const connection: Connection = {
  get state() {
    return state();
  },
  get newVersion() {
    return version() === __VERSION__ ? undefined : version();
  },
};

/** Find out now whether the link is alive; what a "try again" button does. */
export function checkConnection(): void {
  check();
}

export function showConnection(now: ConnectionState, serverVersion: string | null): void {
  setState(now);
  if (serverVersion !== null) setVersion(serverVersion);
}

export function onCheck(tell: () => void): void {
  check = tell;
}
