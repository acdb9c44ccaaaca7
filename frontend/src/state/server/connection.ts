// The state of the connection to the server.
//
// Lives here: what the hub reports, for display. Lives elsewhere: the
// connection itself (worker/stream/serverStream.ts).

import { createSignal } from "solid-js";

import type { ConnectionState } from "../../worker/messages";

export type { ConnectionState };

declare const __VERSION__: string;

export interface Connection {
  readonly state: ConnectionState;
  /** The server's version if it differs from this page's: the page should be reloaded. */
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

/** Check the connection now; for a "try again" button. */
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
