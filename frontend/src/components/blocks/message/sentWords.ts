// What was sent along with a message, in words.

import type { SentContext, SentFile } from "../../../state";
import { baseName, within } from "../../paths";
import { labels } from "../labels";

/** "Sent with 3 files, 2 skills · 1 left out"; empty if there is nothing to say. */
export function sentAlongLine(sent: SentContext): string {
  const counts: [number, (count: number) => string][] = [
    [sent.files.length, labels.sentFiles],
    [sent.skills.length, labels.sentSkills],
    [sent.instructions.length, labels.sentInstructions],
  ];
  const parts = counts.flatMap(([count, words]) => (count > 0 ? [words(count)] : []));
  if (parts.length === 0 && sent.indexed > 0) parts.push(labels.sentIndex(sent.indexed));
  const sentWords = parts.length > 0 ? labels.sentWith(parts.join(", ")) : "";
  const leftOut = sent.left_out.length > 0 ? labels.leftOutCount(sent.left_out.length) : "";
  return [sentWords, leftOut].filter(Boolean).join(" · ");
}

/** `src/app.py:10-20`; a file that was uploaded by its name alone. */
export function sentFileName({ path, lines }: SentFile, workspace: string | undefined): string {
  const here = within(workspace, path);
  const name = here.startsWith("/") ? baseName(here) : here;
  const [from, to = from] = lines ?? [];
  if (from === undefined) return name;
  return from === to ? `${name}:${from}` : `${name}:${from}-${to}`;
}
