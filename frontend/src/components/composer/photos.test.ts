import { expect, test, vi } from "vitest";

import { isHeic, asJpeg } from "./photos";

const photo = new File([new Uint8Array([1])], "IMG_0001.HEIC", { type: "image/heic" });

test("HEIC is known by its type, or by its name if it has none", () => {
  const kinds = [["a", "image/heic"], ["a", "image/heif-sequence"], ["a.HEIF", ""], ["a.heic", "text/plain"], ["a.jpg", "image/jpeg"]] as const;
  expect(kinds.map(([name, type]) => isHeic({ name, type }))).toEqual([true, true, true, false, false]);
});

test("a photo that the browser can draw becomes a JPEG of a sensible size", async () => {
  const close = vi.fn<() => void>();
  vi.stubGlobal("createImageBitmap", async () => ({ width: 8192, height: 4096, close }));
  const sizes: number[] = [];
  vi.spyOn(HTMLCanvasElement.prototype, "getContext").mockReturnValue(null);
  vi.spyOn(HTMLCanvasElement.prototype, "toBlob").mockImplementation(function (this: HTMLCanvasElement, done, type) {
    sizes.push(this.width, this.height);
    done(new Blob(["jpeg"], { type: type! }));
  });
  const made = await asJpeg(photo);
  expect([made.name, made.type, await made.text(), sizes]).toEqual(["IMG_0001.jpg", "image/jpeg", "jpeg", [4096, 2048]]);
  expect(close).toHaveBeenCalled();
});

test("one that it cannot draw is explained", async () => {
  vi.stubGlobal("createImageBitmap", () => Promise.reject(new DOMException("no")));
  await expect(asJpeg(photo)).rejects.toThrow(/IMG_0001.HEIC.*JPEG/);
});
