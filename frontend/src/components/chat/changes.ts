// The files a chat changed, as far as its blocks at hand tell.

import type { Block } from "../../state";
import { diffOf, diffsOf, isPart, progressOf } from "../tool/words";

export interface ChangedFile {
  readonly path: string;
  readonly added: number;
  readonly removed: number;
  readonly isNew: boolean;
  /** Of some of its changes only a part is at hand, so nobody can count its lines. */
  readonly isPart: boolean;
  /** The place of the call that changed it last. */
  readonly lastAt: number;
}

export function changedFiles(blocks: readonly Block[]): ChangedFile[] {
  const files = new Map<string, ChangedFile>();
  for (const block of blocks) {
    if (block.kind !== "tool" || progressOf(block) !== "done") continue;
    for (const content of diffsOf(block.content)) {
      const path = content.path ?? "";
      const { added, removed } = diffOf(content);
      const old = files.get(path);
      files.set(path, {
        path,
        added: added + (old?.added ?? 0),
        removed: removed + (old?.removed ?? 0),
        isNew: old?.isNew ?? content.oldText == null,
        isPart: isPart(content) || (old?.isPart ?? false),
        lastAt: block.pos,
      });
    }
  }
  return [...files.values()];
}
