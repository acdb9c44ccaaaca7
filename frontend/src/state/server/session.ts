// Who this browser is signed in as.
//
// Lives here: signing in by link or code, and signing out. A page starts as
// signed in until the server says otherwise, so that it can show its frame at
// once. Lives elsewhere: what a sign-in allows (web/door/access.py).

import { batch, createSignal } from "solid-js";

import * as api from "../../api/client";
import { keepKey } from "../../api/key";

export interface Session {
  /** `signing-in`: a code is being redeemed. */
  readonly state: "signed-in" | "signing-in" | "signed-out";
  /** Why the last attempt failed, ready to show. */
  readonly problem: api.ApiError | undefined;
  /** This device's name, once known. */
  readonly device: string | undefined;
  /** Whether this browser may relax settings, trust and permissions; true until known. */
  readonly isConfirmed: boolean;
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
  get isConfirmed() {
    return me()?.confirmed ?? true;
  },
};

/** Redeem a code, given alone or as a pasted link. True if it worked. */
export async function signIn(given: string): Promise<boolean> {
  const code = codeIn(given);
  if (!code) return false;
  setState("signing-in");
  setProblem(undefined);
  try {
    const known = await api.login(code, deviceName());
    keepKey(known.key);
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

/** Sign this device out, here and on the server. */
export async function signOut(): Promise<void> {
  await api.logout();
  keepKey(null);
  tellLeft();
  setState("signed-out");
}

/** Redeem the code of the link that opened this page, and remove it from the address at once. */
export async function signInByLink(): Promise<void> {
  const code = new URLSearchParams(location.hash.slice(1)).get("code");
  if (code === null) return;
  history.replaceState(null, "", location.pathname);
  // A signed-in person who opens an old link stays signed in.
  if (!(await signIn(code)) && (await isKnown())) setState("signed-in");
}

/** Record whether the server accepts our sign-in; `why` is its message if not. */
export function setSignedIn(is: boolean, why?: api.ApiError): void {
  if (state() === "signing-in") return;
  setState(is ? "signed-in" : "signed-out");
  if (is) setProblem(undefined);
  if (why?.code === "sign-in-again") setProblem(why);
}

export function onSession(tell: { signedIn: () => void; left: () => void }): void {
  tellSignedIn = tell.signedIn;
  tellLeft = tell.left;
}

/** Ask the server who is signed in. */
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
