import { expect, test, vi } from "vitest";

import { listAgents, login, newKey, onSignedOut, postMessage, whoAmI, type ApiError } from "./client";
import { fakeApi, refusing } from "./fetch.fake";
import { keepKey } from "./key";

async function failure(call: Promise<unknown>): Promise<ApiError> {
  try {
    await call;
  } catch (error) {
    return error as ApiError;
  }
  throw new Error("It did not fail.");
}

test("a successful response returns its body", async () => {
  const asked = fakeApi(() => Response.json({ message_id: "m", turn: "t" }, { status: 202 }));
  expect(await postMessage("ab", "hi", "k")).toEqual({ message_id: "m", turn: "t" });
  expect(asked).toEqual([
    { method: "POST", path: "/api/chats/ab/messages", body: { text: "hi", key: "k", attachments: [] } },
  ]);
});

test("a message with large attachments gets enough time", async () => {
  fakeApi(() => Response.json({ message_id: "m", turn: "t" }, { status: 202 }));
  const limit = vi.spyOn(AbortSignal, "timeout");
  const file = { type: "image", mimeType: "image/png", data: "A".repeat(3_000_000) };
  await postMessage("ab", "hi", "k");
  await postMessage("ab", "hi", "k", [file]);
  const [small, large] = limit.mock.calls.map(([milliseconds]) => milliseconds / 1000);
  expect(small).toBeCloseTo(15, 1);
  expect(large).toBeCloseTo(115, 0);
});

test("a refused request reports what happened and what to do", async () => {
  fakeApi(() => refusing(507, "storage-full", "Full.", "Make room."));
  const error = await failure(listAgents());
  expect(error).toMatchObject({ status: 507, code: "storage-full", message: "Full.", hint: "Make room." });
  expect(error.isPassing).toBe(true);
});

test("any other response becomes a readable error too", async () => {
  fakeApi(() => Promise.reject(new TypeError("Failed to fetch")));
  expect(await failure(listAgents())).toMatchObject({ status: 0, code: "no-answer" });
  fakeApi(() => new Response("<h1>Bad gateway</h1>", { status: 502 }));
  expect(await failure(listAgents())).toMatchObject({ status: 502, code: "refused" });
  fakeApi(() => new Response("<h1>Hotel Wi-Fi</h1>", { status: 200 }));
  expect(await failure(listAgents())).toMatchObject({ code: "not-json" });
});

test("401 reports that nobody is signed in, except while signing in", async () => {
  const tell = vi.fn<() => void>();
  onSignedOut(tell);
  fakeApi(() => refusing(401, "sign-in-needed", "Sign in first."));
  await failure(login("x", "y"));
  expect(tell).not.toHaveBeenCalled();
  expect(await failure(whoAmI())).toMatchObject({ status: 401, isPassing: false });
  expect(tell).toHaveBeenCalledOnce();
});

test("401 for a request that was sent before the last sign-in is not a sign-out", async () => {
  const tell = vi.fn<() => void>();
  onSignedOut(tell);
  fakeApi(() => {
    keepKey("new"); // the person signs in while the request is on its way
    return refusing(401, "sign-in-needed", "Sign in first.");
  });
  expect(await failure(whoAmI())).toMatchObject({ status: 401 });
  expect(tell).not.toHaveBeenCalled();
  keepKey(null);
});

test("keys are unique", () => {
  expect(new Set(Array.from({ length: 1000 }, newKey)).size).toBe(1000);
});
