// Attached files, stored until they are sent or removed.
//
// Lives here: each file is stored once, under an id; drafts and the outbox hold ids, so that a file passes
// from one to the other without being copied, and a file that nothing refers to is removed. Lives elsewhere: the
// holders (drafts.ts, outbox), the storage (fileStore.ts).

import * as api from "../../api/client";
import { namesLike, recall } from "./localStore";
import { forgetLarge, largeNames, recallLarge, rememberLarge } from "./fileStore";
import type { JsonObject } from "../shapes";

/** Names in localStorage whose values hold ids. */
const HOLDERS = ["attached.", "outbox.", "outgoing."];
/** Another tab may have stored a file and not yet recorded where it belongs. */
const SETTLED_MS = 3_600_000;
const ids = new WeakMap<JsonObject, string>();

/** The id under which the browser stores a file; undefined if only this tab has it. */
export function idOf(file: JsonObject): string | undefined {
  return ids.get(file);
}

export function idsOf(files: readonly JsonObject[]): string[] {
  return files.flatMap((file) => ids.get(file) ?? []);
}

/** Store the files that the browser accepts; `idOf` tells which. */
export async function keepFiles(files: readonly JsonObject[]): Promise<void> {
  await Promise.all(
    files.map(async (file) => {
      const id = `${Date.now()}-${api.newKey()}`;
      if (await rememberLarge(id, file)) ids.set(file, id);
    }),
  );
}

/** The files with these ids, undefined for one that is gone; files already in memory are reused. Fails if nothing can be read. */
export async function keptFiles(wanted: readonly string[], atHand: readonly JsonObject[] = []): Promise<(JsonObject | undefined)[]> {
  return Promise.all(
    wanted.map(async (id) => {
      const file = atHand.find((one) => ids.get(one) === id) ?? ((await recallLarge(id)) as JsonObject | undefined);
      if (file !== undefined) ids.set(file, id);
      return file;
    }),
  );
}

/** Remove them from the browser's storage: only this tab has them from now on. */
export function disown(files: readonly JsonObject[]): void {
  const known = idsOf(files);
  for (const file of files) ids.delete(file);
  letGo(known);
}

/** Remove files that nothing refers to. */
export function letGo(known: readonly string[]): void {
  if (known.length === 0) return;
  const held = HOLDERS.flatMap(namesLike).map(recall).join("\n");
  for (const id of known) if (!held.includes(id)) void forgetLarge(id);
}

/** Remove files older than `age` that a page left behind when it was closed at the wrong moment. */
export async function sweepFiles(age = SETTLED_MS): Promise<void> {
  const isSettled = (id: string) => Date.now() - Number.parseInt(id) >= age;
  letGo((await largeNames()).filter(isSettled));
}
