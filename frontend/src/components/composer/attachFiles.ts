// Files that are picked, pasted, dropped or photographed become attachments of a draft.

import { createSignal, type Accessor } from "solid-js";

import type { Draft } from "../../state";
import { contentOf, hasRoom } from "./attaching";
import { labels } from "./labels";
import { asJpeg, isHeic, UnreadablePhoto } from "./photos";

export interface FileAttaching {
  /** Files are being read right now. */
  readonly isBusy: Accessor<boolean>;
  readonly problem: Accessor<string>;
  attach(files: readonly File[]): Promise<void>;
}

export function createFileAttaching(draft: Accessor<Draft>): FileAttaching {
  const [busy, setBusy] = createSignal(0);
  const [problem, setProblem] = createSignal("");
  async function read(into: Draft, files: readonly File[]) {
    const pieces = await Promise.all(files.map((file) => (isHeic(file) ? asJpeg(file).then(contentOf) : contentOf(file))));
    // A JPEG can be larger than what it was made of.
    if (hasRoom([...into.attachments, ...pieces], [])) await into.attach(pieces);
    else setProblem(labels.tooManyFiles);
  }
  return {
    isBusy: () => busy() > 0,
    problem,
    async attach(files) {
      setProblem("");
      const into = draft();
      if (!hasRoom(into.attachments, files)) return void setProblem(labels.tooManyFiles);
      setBusy((count) => count + 1);
      await read(into, files).catch((error: unknown) =>
        setProblem(error instanceof UnreadablePhoto ? error.message : labels.unreadableFiles),
      );
      setBusy((count) => count - 1);
    },
  };
}
