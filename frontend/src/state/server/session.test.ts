import { beforeEach, expect, test, vi } from "vitest";

import { fakeApi, refusing } from "../../api/fetch.fake";

let spent: string[];
let sent: (string | null)[];
let isKnown = false;
let isGood = true;

async function openedAt(address: string) {
  vi.resetModules();
  history.replaceState(null, "", address);
  return import("./session");
}

beforeEach(() => {
  spent = [];
  sent = [];
  localStorage.clear();
  isKnown = false;
  isGood = true;
  fakeApi(({ path, body }) => {
    if (path === "/api/login") spent.push((body as { code: string }).code);
    const isWelcome = path === "/api/login" ? isGood : isKnown;
    if (isWelcome) return Response.json({ device: "Phone", device_id: "d", confirmed: true, version: "1", key: "the-key" });
    return refusing(401, "sign-in-failed", "This link was used already or is too old.", "Run `voxpilot link`.");
  }, (headers) => sent.push(headers.get("X-VoxPilot-Key")));
});

test("the code of a link is used once, and removed from the address before that", async () => {
  const page = await openedAt("/chat/ab#code=secret");
  const signingIn = page.signInByLink();
  expect(location.href).not.toContain("secret");
  expect(page.session.state).toBe("signing-in");
  await signingIn;
  expect([spent, page.session.state, location.pathname]).toEqual([["secret"], "signed-in", "/chat/ab"]);
});

test("a link that is too old says so", async () => {
  isGood = false;
  const page = await openedAt("/#code=old");
  await page.signInByLink();
  expect(page.session.state).toBe("signed-out");
  expect(page.session.problem?.message).toContain("too old");
});

test("a signed-in person stays signed in after opening an old link", async () => {
  isGood = false;
  isKnown = true;
  const page = await openedAt("/#code=old");
  await page.signInByLink();
  expect([page.session.state, page.session.device]).toEqual(["signed-in", "Phone"]);
});

test("a page without a code does nothing", async () => {
  const page = await openedAt("/");
  await page.signInByLink();
  expect([spent, page.session.state]).toEqual([[], "signed-in"]);
});

test("a typed code works alone and as the whole link", async () => {
  const page = await openedAt("/");
  page.setSignedIn(false);
  expect(await page.signIn("  bare ")).toBe(true);
  expect(await page.signIn("http://voxpilot.localhost:8460/#code=linked")).toBe(true);
  expect(spent).toEqual(["bare", "linked"]);
  expect(await page.signIn("  ")).toBe(false);
});

test("the key of a sign-in is stored, sent with every request, and removed at sign-out", async () => {
  isKnown = true;
  const page = await openedAt("/#code=good");
  await page.signInByLink();
  expect(localStorage.getItem("voxpilot.key")).toBe("the-key");
  await page.learnDevice();
  expect(sent.at(-1)).toBe("the-key");
  await page.signOut();
  expect(localStorage.getItem("voxpilot.key")).toBeNull();
});

test("a browser that has to sign in again is told why", async () => {
  const page = await openedAt("/");
  const { ApiError } = await import("../../api/client");
  page.setSignedIn(false, new ApiError(401, "sign-in-needed", "Sign in first.", ""));
  expect(page.session.problem).toBeUndefined();
  page.setSignedIn(false, new ApiError(401, "sign-in-again", "VoxPilot was updated.", "Sign in again."));
  expect(page.session.problem?.message).toBe("VoxPilot was updated.");
});
