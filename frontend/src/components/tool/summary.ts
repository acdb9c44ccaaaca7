// A group of finished calls in one line: "Read 3 files, ran 2 commands".
//
// Lives here: counting and wording. Lives elsewhere: which calls form a group (../conversation/rows.ts).
import type { Activity } from "../conversation/rows";
import { changeOf, namesOf, progressOf } from "./toolLabels";
import type { ToolBlock } from "../../state";
import { tableOf } from "../../state/named";

const NOUNS = tableOf<readonly [verb: string, one: string, many: string]>({
  read: ["read", "file", "files"],
  edit: ["edited", "file", "files"],
  delete: ["deleted", "file", "files"],
  move: ["moved", "file", "files"],
  search: ["searched", "time", "times"],
  execute: ["ran", "command", "commands"],
  fetch: ["fetched", "page", "pages"],
  think: ["thought", "time", "times"],
  switch_mode: ["switched mode", "time", "times"],
  other: ["used", "tool", "tools"],
});
const BY_NAME = new Set(["read", "edit", "delete", "move"]);

export interface Summary {
  readonly words: string;
  readonly failed: number;
  readonly added: number;
  readonly removed: number;
}

export function summaryOf(blocks: readonly Activity[]): Summary {
  const calls = blocks.filter((block): block is ToolBlock => block.kind === "tool");
  const parts = [...kindsOf(calls)].map(([kind, list]) => phrase(kind, list));
  const changes = calls.map(changeOf).filter((change) => change !== null);
  return {
    words: capitalised(parts.join(", ") || "thought"),
    failed: calls.filter((call) => progressOf(call) === "failed").length,
    added: changes.reduce((sum, change) => sum + change.added, 0),
    removed: changes.reduce((sum, change) => sum + change.removed, 0),
  };
}

/** The time from the first to the last block. */
export function spanOf(blocks: readonly Activity[], until: number | undefined): number {
  const first = blocks[0]?.at ?? 0;
  return Math.max(0, (until ?? blocks.at(-1)?.at ?? first) - first);
}

function kindsOf(calls: readonly ToolBlock[]): Map<string, ToolBlock[]> {
  const kinds = new Map<string, ToolBlock[]>();
  for (const call of calls) {
    const kind = NOUNS.has(call.tool_kind) ? call.tool_kind : "other";
    const list = kinds.get(kind);
    if (list) list.push(call);
    else kinds.set(kind, [call]);
  }
  return kinds;
}

function phrase(kind: string, calls: readonly ToolBlock[]): string {
  const [verb, one, many] = NOUNS.get(kind)!;
  const count = BY_NAME.has(kind) ? namesOf(calls).length : calls.length;
  if (one === "time" && count === 1) return verb;
  return `${verb} ${count} ${count === 1 ? one : many}`;
}

function capitalised(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}
