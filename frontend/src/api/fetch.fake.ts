// A fake of the server's API for tests: records requests and answers them.

import { vi } from "vitest";

export interface Asked {
  method: string;
  path: string;
  body: unknown;
}

/** Replaces fetch until the test ends; `heed` sees the headers of each request. */
export function fakeApi(
  answer: (asked: Asked) => Response | Promise<Response>,
  heed: (headers: Headers) => void = () => undefined,
): Asked[] {
  const all: Asked[] = [];
  vi.stubGlobal("fetch", async (request: Request) => {
    const { pathname, search } = new URL(request.url);
    const text = await request.text();
    const asked = { method: request.method, path: pathname + search, body: text ? (JSON.parse(text) as unknown) : null };
    all.push(asked);
    heed(request.headers);
    return answer(asked);
  });
  return all;
}

export function refusing(status: number, code: string, message: string, hint = ""): Response {
  return Response.json({ error: { code, message, hint } }, { status });
}
