// A server for tests of the connection: it answers fetches as the test tells it to.

import { vi } from "vitest";

export interface Asked {
  url: URL;
  headers: Headers;
  isCut: boolean;
  /** Accept the request. */
  open(): void;
  refuse(status: number): void;
  say(kind: string, body: object): void;
  end(): void;
}

export class FakeServer {
  readonly asked: Asked[] = [];
  /** Set to answer every stream at once. */
  onStream: ((asked: Asked) => void) | undefined;

  constructor() {
    vi.stubGlobal("fetch", (input: string | Request, init?: RequestInit) => this.#fetch(input, init));
  }

  get streams(): Asked[] {
    return this.asked.filter(({ url }) => url.pathname === "/api/stream");
  }

  get last(): Asked {
    return this.streams.at(-1) as Asked;
  }

  #fetch(input: string | Request, init?: RequestInit): Promise<Response> {
    const url = new URL(typeof input === "string" ? input : input.url, "http://server");
    if (url.pathname === "/api/health") return Promise.resolve(Response.json({ status: "ok", version: "9" }));
    return new Promise((resolve, reject) => {
      const asked = stream(url, new Headers(init?.headers), resolve);
      init?.signal?.addEventListener("abort", () => {
        asked.isCut = true;
        asked.end();
        reject(init.signal?.reason);
      });
      this.asked.push(asked);
      this.onStream?.(asked);
    });
  }
}

function stream(url: URL, headers: Headers, answer: (response: Response) => void): Asked {
  let out: ReadableStreamDefaultController<Uint8Array> | undefined;
  const encoder = new TextEncoder();
  return {
    url,
    headers,
    isCut: false,
    open() {
      answer(new Response(new ReadableStream({ start: (controller) => void (out = controller) })));
    },
    refuse: (status) => answer(Response.json({ error: {} }, { status })),
    say: (kind, body) => out?.enqueue(encoder.encode(`event: ${kind}\ndata: ${JSON.stringify(body)}\n\n`)),
    end() {
      try {
        out?.close();
      } catch {
        // It had already ended.
      }
    },
  };
}

/** Run everything that is due. */
export async function settle(milliseconds = 0): Promise<void> {
  await vi.advanceTimersByTimeAsync(milliseconds);
  await vi.advanceTimersByTimeAsync(0);
}
