// Where the page begins.
//
// Lives here: the order of the first steps. Lives elsewhere: everything else.

import { render } from "solid-js/web";

import { App, fetchPages } from "./App";
import { startHub } from "./state/hub";
import { followHistory } from "./state/route";
import { learnDevice, signInByLink } from "./state/server/session";

async function start(): Promise<void> {
  followHistory();
  const signingIn = signInByLink();
  render(() => <App />, document.getElementById("app") as HTMLElement);
  await signingIn;
  startHub();
  // A link opened in a tab that already shows the page only changes the address.
  addEventListener("hashchange", () => void signInByLink());
  await learnDevice().catch(() => undefined);
  await fetchPages();
}

void start();
