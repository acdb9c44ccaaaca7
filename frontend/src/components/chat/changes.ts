// The files changed in the loaded blocks of a chat.

import type { Block } from "../../state";
import { diffOf, diffsOf, isPart, progressOf } from "../tool/toolLabels";

export interface ChangedFile {
  readonly path: string;
  readonly added: number;
  readonly removed: number;
  readonly isNew: boolean;
  /** Some changes are only partly loaded, so lines cannot be counted. */
  readonly isPart: boolean;
  /** The position of the call that changed it last. */
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
