import { expect, test, vi } from "vitest";

import { accepts, fake, freshPage, openPage, useFake } from "./outbox.fake";

useFake();

test("a message that the stream shows before the reply arrives is not shown twice", async () => {
  const { page, said } = await openPage();
  said(1, "m0", "again");

  let reply: (response: Response) => void = () => undefined;
  fake.answer = () => new Promise((resolve) => (reply = resolve));
  page.send("c1", "again");
  await vi.advanceTimersByTimeAsync(10);
  expect(page.outbox("c1")).toMatchObject([{ text: "again" }]);
  said(2, "m1", "again");
  expect(page.outbox("c1")).toEqual([]);
  reply(accepts());
  await vi.advanceTimersByTimeAsync(10);
  expect(page.outbox("c1")).toEqual([]);
  expect(localStorage.length).toBe(0);
});

/** A page whose server accepted a message and was then restored to a state without it. */
async function goneBack() {
  const { page, said, goBack } = await openPage();
  page.send("c1", "hello");
  await vi.advanceTimersByTimeAsync(10);
  expect([page.outbox("c1")[0]?.state, localStorage.length]).toEqual(["sending", 0]);
  goBack();
  return { page, arrives: (id: string) => said(1, id, "hello") };
}

test("a message that a restored server no longer has is offered for sending again, also after a reload", async () => {
  await goneBack();
  const page = await freshPage();
  page.deliverAll();
  await vi.advanceTimersByTimeAsync(20_000);
  expect(page.outbox("c1")).toMatchObject([{ text: "hello", state: "refused", problem: { code: "gone-back" } }]);
  expect(fake.posts.length).toBe(1);
  page.retrySend(page.outbox("c1")[0]!.key);
  await vi.advanceTimersByTimeAsync(10);
  expect(fake.posts.map(({ key }) => key)).toEqual([fake.posts[0]!.key, fake.posts[0]!.key]);
  expect([page.outbox("c1").length, localStorage.length]).toEqual([0, 0]);
});

test("a message sent again to a restored server is shown as sending until the chat shows it", async () => {
  const { page, arrives } = await goneBack();
  page.retrySend(page.outbox("c1")[0]!.key);
  await vi.advanceTimersByTimeAsync(10);
  expect(page.outbox("c1")).toMatchObject([{ text: "hello", state: "sending" }]);
  arrives("m2");
  expect([page.outbox("c1").length, localStorage.length]).toEqual([0, 0]);
});

test("a message that a restored server still has is not offered for sending again", async () => {
  const shown = await goneBack();
  shown.arrives("m1");
  expect([shown.page.outbox("c1").length, localStorage.length]).toEqual([0, 0]);
  const { page } = await goneBack();
  fake.answer = () => Response.json({ message_id: `m${fake.posts.length - 1}`, turn: "t" }, { status: 202 });
  page.retrySend(page.outbox("c1")[0]!.key);
  await vi.advanceTimersByTimeAsync(10);
  expect([page.outbox("c1").length, localStorage.length]).toEqual([0, 0]);
});
