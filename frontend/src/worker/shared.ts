// The hub as a shared worker: the same one for all tabs.
//
// Lives here: from ports to tabs. Lives elsewhere: everything else (hub.ts).

import { Hub } from "./hub";
import type { ToHub } from "./messages";
import { onWaking } from "./waking";

const hub = new Hub();
let tabs = 0;

addEventListener("connect", (event) => {
  const port = (event as MessageEvent).ports[0] as MessagePort;
  const id = String(++tabs);
  const hear = (message: ToHub) => hub.hear(id, message, (answer) => port.postMessage(answer));
  port.onmessage = (event: MessageEvent<ToHub>) => hear(event.data);
  // If the browser supports it; a tab that closes normally says so itself.
  port.addEventListener("close", () => hear({ say: "bye" }));
});

onWaking(() => hub.woke());
