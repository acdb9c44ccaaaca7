// Asking for the stream.
//
// Lives here: one request, or several where the first hangs. Lives elsewhere:
// when to ask (line.ts), reading what comes (sse.ts).

const HANGS_MS = 300;
/** With the first and the old stream that makes six, as many as a browser opens to one server. */
const MORE = 4;

export class Refused extends Error {
  constructor(readonly status: number) {
    super(`The stream was refused with ${status}.`);
  }
}

/**
 * The stream's body. `abort` ends it, now and later.
 *
 * A browser keeps connections for further requests and cannot know that they died while it slept: a request over
 * one of those hangs. So where that `mayHang`, others go out over the rest and over new ones; the first answer counts.
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
  const response = await fetch(url, { signal, headers: { Accept: "text/event-stream" }, cache: "no-store" });
  if (response.ok && response.body !== null) return response.body;
  void response.body?.cancel();
  throw new Refused(response.status);
}
