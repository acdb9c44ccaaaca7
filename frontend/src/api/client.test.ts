import { expect, test, vi } from "vitest";

import { listAgents, login, newKey, onSignedOut, postMessage, whoAmI, type ApiError } from "./client";
import { fakeApi, refusing } from "./fetch.fake";

async function failure(call: Promise<unknown>): Promise<ApiError> {
  try {
    await call;
  } catch (error) {
    return error as ApiError;
  }
  throw new Error("It did not fail.");
}

test("a good answer is its body", async () => {
  const asked = fakeApi(() => Response.json({ message_id: "m", turn: "t" }, { status: 202 }));
  expect(await postMessage("ab", "hi", "k")).toEqual({ message_id: "m", turn: "t" });
  expect(asked).toEqual([
    { method: "POST", path: "/api/chats/ab/messages", body: { text: "hi", key: "k", attachments: [] } },
  ]);
});

test("a message with much going along is given the time it takes", async () => {
  fakeApi(() => Response.json({ message_id: "m", turn: "t" }, { status: 202 }));
  const limit = vi.spyOn(AbortSignal, "timeout");
  const file = { type: "image", mimeType: "image/png", data: "A".repeat(3_000_000) };
  await postMessage("ab", "hi", "k");
  await postMessage("ab", "hi", "k", [file]);
  const [small, large] = limit.mock.calls.map(([milliseconds]) => milliseconds / 1000);
  expect(small).toBeCloseTo(15, 1);
  expect(large).toBeCloseTo(115, 0);
});

test("a refusal says what happened and what to do", async () => {
  fakeApi(() => refusing(507, "storage-full", "Full.", "Make room."));
  const error = await failure(listAgents());
  expect(error).toMatchObject({ status: 507, code: "storage-full", message: "Full.", hint: "Make room." });
  expect(error.isPassing).toBe(true);
});

test("whatever else comes is an error made for people all the same", async () => {
  fakeApi(() => Promise.reject(new TypeError("Failed to fetch")));
  expect(await failure(listAgents())).toMatchObject({ status: 0, code: "no-answer" });
  fakeApi(() => new Response("<h1>Bad gateway</h1>", { status: 502 }));
  expect(await failure(listAgents())).toMatchObject({ status: 502, code: "refused" });
  fakeApi(() => new Response("<h1>Hotel Wi-Fi</h1>", { status: 200 }));
  expect(await failure(listAgents())).toMatchObject({ code: "not-json" });
});

test("401 tells that nobody is signed in, but not while signing in", async () => {
  const tell = vi.fn<() => void>();
  onSignedOut(tell);
  fakeApi(() => refusing(401, "sign-in-needed", "Sign in first."));
  await failure(login("x", "y"));
  expect(tell).not.toHaveBeenCalled();
  expect(await failure(whoAmI())).toMatchObject({ status: 401, isPassing: false });
  expect(tell).toHaveBeenCalledOnce();
});

test("keys differ", () => {
  expect(new Set(Array.from({ length: 1000 }, newKey)).size).toBe(1000);
});
