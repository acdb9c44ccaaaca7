import { expect, test } from "vitest";

import type { JsonObject } from "../../state";
import { contentOf, hasRoom, isShowable, nameOf, pictureOf } from "./attaching";

const file = (name: string, type: string, ...bytes: number[]) => new File([new Uint8Array(bytes)], name, { type });

test("images stay images, text of any type is sent as text, and anything else as binary data", async () => {
  expect(await contentOf(file("a.png", "image/png", 1, 2, 255))).toEqual({
    type: "image",
    mimeType: "image/png",
    data: "AQL/",
    uri: "file:///a.png",
  });
  const text = new File(["größe = 1\n"], "my notes.toml");
  expect(await contentOf(text)).toEqual({
    type: "resource",
    resource: { uri: "file:///my%20notes.toml", text: "größe = 1\n" },
  });
  expect(await contentOf(file("a.pdf", "application/pdf", 37, 0, 255))).toEqual({
    type: "resource",
    resource: { uri: "file:///a.pdf", mimeType: "application/pdf", blob: "JQD/" },
  });
  expect((await contentOf(file("a.tiff", "image/tiff", 0)))["type"]).toBe("resource");
});

test("a large file is read completely", async () => {
  const size = 300_001;
  const made = await contentOf(new File([new Uint8Array(size).fill(7)], "a.gif", { type: "image/gif" }));
  expect(atob(made["data"] as string).length).toBe(size);
});

test("every attachment has a name", async () => {
  const names = await Promise.all(
    [file("my notes.md", "text/markdown", 65), file("x", "image/webp", 1), file("x", "audio/wav", 1)].map(contentOf),
  );
  expect(names.map(nameOf)).toEqual(["my notes.md", "x", "Audio (WAV)"]);
  const odd: JsonObject[] = [{ type: "resource_link", uri: "https://a.b/c", name: "c" }, { uri: "file:///%" }, {}, { type: "image", mimeType: "image/webp" }];
  expect(odd.map(nameOf)).toEqual(["c", "%", "Attachment", "Image (WEBP)"]);
});

test("the attachments of one message are limited", () => {
  const half = new File([new Uint8Array(8_000_000)], "half");
  const held = { type: "image", data: "x".repeat(10_700_000) };
  expect([hasRoom([], [half]), hasRoom([], [half, half]), hasRoom([held], [half])]).toEqual([true, false, false]);
  expect(hasRoom([{}], Array.from({ length: 50 }, () => new File([], "a")))).toBe(false);
});

test("only image types that cannot run scripts are shown, built from type and data alone", () => {
  const picture = (mimeType: string, data: string, more: JsonObject = {}) => ({ type: "image", mimeType, data, ...more });
  const shown = ["image/png", "image/jpeg", "image/gif", "image/webp"].map((kind) => picture(kind, "AA=="));
  expect(shown.map(isShowable)).toEqual([true, true, true, true]);
  expect(pictureOf(shown[0]!)).toBe("data:image/png;base64,AA==");
  const others: JsonObject[] = [
    picture("image/svg+xml", "AA=="),
    picture("image/svg+xml", "", { cut: true }),
    picture("text/html", "AA=="),
    picture("image/png", "<svg onload=alert(1)>"),
    picture("image/png;base64,AA==#", "AA=="),
    picture("image/png", ""),
    { type: "resource", mimeType: "image/png", data: "AA==" },
  ];
  expect(others.map(pictureOf)).toEqual(others.map(() => undefined));
  expect(others.map(isShowable)).toEqual(others.map(() => false));
  expect(isShowable(picture("image/png", "", { cut: true }))).toBe(true);
});
