// Who this browser is signed in as.
//
// Lives here: signing in by link or by a typed code, and out. A page begins as
// signed in until the server says otherwise, so that it can show its frame at
// once. Lives elsewhere: what a sign-in is worth (web/access.py).

import { batch, createSignal } from "solid-js";

import * as api from "../api/client";

export interface Session {
  /** `signing-in`: a code is being spent. */
  readonly state: "signed-in" | "signing-in" | "signed-out";
  /** Why the last attempt failed; made for people. */
  readonly problem: api.ApiError | undefined;
  /** This device's name, once known. */
  readonly device: string | undefined;
  /** When this browser must sign in again, in milliseconds since 1970; only under a name that others share. */
  readonly expiresAt: number | undefined;
}

const [state, setState] = createSignal<Session["state"]>("signed-in");
const [problem, setProblem] = createSignal<api.ApiError>();
const [me, setMe] = createSignal<api.Me>();
let tellSignedIn: () => void = () => undefined;
let tellLeft: () => void = () => undefined;

export const session: Session = {
  get state() {
    return state();
  },
  get problem() {
    return problem();
  },
  get device() {
    return me()?.device;
  },
  get expiresAt() {
    const at = me()?.expires_at;
    return typeof at === "number" ? at * 1000 : undefined;
  },
};

/** Spend a code: bare, or a whole link as it was pasted. True when it worked. */
export async function signIn(given: string): Promise<boolean> {
  const code = codeIn(given);
  if (!code) return false;
  setState("signing-in");
  setProblem(undefined);
  try {
    const known = await api.login(code, deviceName());
    batch(() => {
      setMe(known);
      setState("signed-in");
    });
    tellSignedIn();
    return true;
  } catch (error) {
    batch(() => {
      setProblem(error instanceof api.ApiError ? error : undefined);
      setState("signed-out");
    });
    return false;
  }
}

/** Forget this device, here and on the server. */
export async function signOut(): Promise<void> {
  await api.logout();
  tellLeft();
  setState("signed-out");
}

/** Spend the code of the link this page was opened by, and take it out of the address at once. */
export async function signInByLink(): Promise<void> {
  const code = new URLSearchParams(location.hash.slice(1)).get("code");
  if (code === null) return;
  history.replaceState(null, "", location.pathname);
  // Whoever is signed in already and follows an old link is not sent away.
  if (!(await signIn(code)) && (await isKnown())) setState("signed-in");
}

/** The server takes us, or does not. */
export function setSignedIn(is: boolean): void {
  if (state() === "signing-in") return;
  setState(is ? "signed-in" : "signed-out");
  if (is) setProblem(undefined);
}

export function onSession(tell: { signedIn: () => void; left: () => void }): void {
  tellSignedIn = tell.signedIn;
  tellLeft = tell.left;
}

/** Ask who we are to the server. */
export async function learnDevice(): Promise<void> {
  setMe(await api.whoAmI());
}

async function isKnown(): Promise<boolean> {
  return learnDevice().then(
    () => true,
    () => false,
  );
}

function codeIn(given: string): string {
  const text = given.trim();
  const hash = text.indexOf("#");
  return (hash < 0 ? null : new URLSearchParams(text.slice(hash + 1)).get("code")) ?? text;
}

function deviceName(): string {
  const agent = navigator.userAgent;
  const found = (words: [RegExp, string][]) => words.find(([word]) => word.test(agent))?.[1];
  const browser = found([
    [/Edg\//, "Edge"],
    [/OPR\//, "Opera"],
    [/Firefox\/|FxiOS/, "Firefox"],
    [/Chrom(e|ium)\/|CriOS/, "Chrome"],
    [/Safari\//, "Safari"],
  ]);
  const machine = found([
    [/iPhone/, "iPhone"],
    [/iPad/, "iPad"],
    [/Android/, "Android"],
    [/Windows/, "Windows"],
    [/Mac OS X/, "Mac"],
    [/Linux/, "Linux"],
  ]);
  return [browser ?? "A browser", machine].filter(Boolean).join(" on ");
}
