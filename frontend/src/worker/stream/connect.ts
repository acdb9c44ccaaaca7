// Requesting the stream.
//
// Lives here: one request, or several if the first hangs. Lives elsewhere:
// when to connect (serverStream.ts), parsing (sse.ts).

import { withKey } from "../../api/key";

const HANGS_MS = 300;
/** With the first request and the old stream that makes six, the most a browser opens to one server. */
const MORE = 4;

export class Refused extends Error {
  constructor(readonly status: number) {
    super(`The stream was refused with status ${status}.`);
  }
}

/**
 * The stream's body. `abort` ends it, now and later.
 *
 * A browser reuses connections and cannot know that they died while it slept: a request over
 * one of those hangs. So if it `mayHang`, more requests go out over other connections; the first response wins.
 */
export async function connect(
  url: string,
  abort: AbortController,
  limit: number,
  mayHang: boolean,
): Promise<ReadableStream<Uint8Array>> {
  const requests: AbortController[] = [];
  const timers = [setTimeout(() => abort.abort("slow"), limit)];
  let answered: AbortController | undefined;
  try {
    return await new Promise((resolve, reject) => {
      const ask = () => {
        const request = new AbortController();
        requests.push(request);
        fetchStream(url, request.signal).then((body) => {
          answered ??= request;
          resolve(body);
        }, reject);
      };
      abort.signal.addEventListener("abort", () => {
        answered?.abort(abort.signal.reason);
        reject(abort.signal.reason);
      });
      ask();
      if (mayHang) timers.push(setTimeout(() => Array.from({ length: MORE }, ask), HANGS_MS));
    });
  } finally {
    timers.forEach(clearTimeout);
    for (const request of requests) if (request !== answered) request.abort("not needed");
  }
}

async function fetchStream(url: string, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
  const response = await fetch(url, { signal, headers: withKey({ Accept: "text/event-stream" }), cache: "no-store" });
  if (response.ok && response.body !== null) return response.body;
  void response.body?.cancel();
  throw new Refused(response.status);
}
