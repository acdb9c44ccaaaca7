// Descriptions of tool calls.
//
// Lives here: verb and object of a call by kind and status, its command, its content. An agent's description
// is only text: nothing here decides anything. Lives elsewhere: drawing (ToolCall.tsx).
import type { DiffContent, Json, ToolBlock, ToolContent } from "../../state";
import { tableOf } from "../../state/named";
import { diffLines, type FileDiff } from "../diff/lines";
import { baseName, within } from "../paths";
import { withoutAnsi } from "./terminal/ansi";
import { labels } from "./labels";

export type Progress = "waiting" | "running" | "done" | "failed" | "cancelled";

/** The fields needed to describe a tool call; a question's detail has them too. */
export type Described = Pick<ToolBlock, "title" | "tool_kind" | "input" | "locations" | "content">;

type Verbs = readonly [wish: string, now: string, past: string];

const VERBS = tableOf<Verbs>({
  read: ["Read", "Reading", "Read"],
  edit: ["Edit", "Editing", "Edited"],
  delete: ["Delete", "Deleting", "Deleted"],
  move: ["Move", "Moving", "Moved"],
  search: ["Search", "Searching", "Searched"],
  execute: ["Run", "Running", "Ran"],
  think: ["Think", "Thinking", "Thought"],
  fetch: ["Fetch", "Fetching", "Fetched"],
  switch_mode: ["Switch mode", "Switching mode", "Switched mode"],
});

/** The assistant's own tools, by name. */
const OWN_VERBS = tableOf<Verbs>({
  list_directory: ["List", "Listing", "Listed"],
  glob_search: ["Find", "Finding", "Found"],
  grep_search: ["Search for", "Searching for", "Searched for"],
  git_diff: ["Check changes in", "Checking changes in", "Checked changes in"],
  git_show: ["View", "Viewing", "Viewed"],
  read_skill: ["Read the skill", "Reading the skill", "Read the skill"],
});
const OWN_SUBJECTS = tableOf({ list_directory: "the folder", git_diff: "the folder", git_show: "the last commit" });

export function progressOf(block: Pick<ToolBlock, "status">): Progress {
  switch (block.status) {
    case "completed":
      return "done";
    case "failed":
      return "failed";
    case "cancelled":
      return "cancelled";
    case "pending":
      return "waiting";
    default:
      return "running";
  }
}

export function hasEnded(block: Pick<ToolBlock, "status">): boolean {
  return ["done", "failed", "cancelled"].includes(progressOf(block));
}

/** "Edit", "Editing", "Edited"; empty if the agent's title is used instead. */
export function verbOf(block: Pick<ToolBlock, "tool_kind" | "status" | "name">): string {
  const [wish, now, past] = OWN_VERBS.get(block.name ?? "") ?? VERBS.get(block.tool_kind) ?? ["", "", ""];
  switch (progressOf(block)) {
    case "running":
      return now;
    case "done":
      return past;
    case "waiting":
      return wish;
    default:
      // A failed command did run; a failed edit changed nothing.
      return block.tool_kind === "execute" ? past : wish;
  }
}

/** The object of the verb: a path, a command, or the agent's title without a repeated verb. */
export function subjectOf(block: Described & Pick<ToolBlock, "name">, workspace?: string): string {
  if (block.name !== undefined && OWN_VERBS.has(block.name)) return ownSubject(block, workspace);
  const path = pathOf(block);
  if (path && ["read", "edit", "delete"].includes(block.tool_kind)) return within(workspace, path);
  const command = commandOf(block);
  if (command && block.tool_kind === "execute") return command;
  return withoutVerb(block.title, block.tool_kind) || block.tool_kind;
}

function ownSubject(block: Described & Pick<ToolBlock, "name">, workspace?: string): string {
  const given = textIn(block.input, "pattern", "path", "revision", "commit", "ref");
  return given === null || given === "." ? (OWN_SUBJECTS.get(block.name!) ?? block.title) : within(workspace, given);
}

/** Whether the subject is shown as code. */
export function isCodeSubject(block: Described): boolean {
  return (block.tool_kind === "execute" && commandOf(block) !== null) || pathOf(block) !== null;
}

export function pathOf(block: Pick<Described, "locations" | "content" | "input">): string | null {
  const diff = diffsOf(block.content)[0];
  const located = block.locations?.find((place) => typeof place.path === "string")?.path;
  return diff?.path ?? located ?? textIn(block.input, "path", "file_path", "filePath", "abs_path");
}

/** The command line a call runs, exactly as the agent gave it. */
export function commandOf(block: Pick<Described, "input">): string | null {
  return commandIn(block.input)?.command ?? null;
}

/** The first field of an input that holds a non-empty command, and the command. */
export function commandIn(input: Json | undefined): { name: string; command: string } | null {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return null;
  for (const name of ["command", "cmd"]) {
    const given = input[name];
    const isList = Array.isArray(given) && given.every((part) => typeof part === "string");
    const command = isList ? given.map(quoted).join(" ") : given;
    if (typeof command === "string" && command.trim() !== "") return { name, command };
  }
  return null;
}

export function folderOfCommand(block: Pick<Described, "input">): string | null {
  return textIn(block.input, "cwd", "workdir", "working_directory");
}

export function diffsOf(content: readonly ToolContent[] | undefined): DiffContent[] {
  return (content ?? []).filter((item): item is DiffContent => item.type === "diff" && typeof item.newText === "string");
}

/** The terminals a call shows, by name. */
export function terminalsOf(block: Pick<ToolBlock, "content">): string[] {
  return block.content.flatMap((item) => (item.type === "terminal" && item.terminalId ? [item.terminalId] : []));
}

/** How a command ended; if unknown, it ended with its agent. */
export function endOf(exit: { exit_code?: number; signal?: string }): string {
  if (exit.signal) return labels.endedBy(exit.signal);
  return exit.exit_code === undefined ? labels.ended : labels.exitStatus(exit.exit_code);
}

/** Added and removed lines of all diffs of a call; null if they are only partly loaded. */
export function changeOf(block: Pick<ToolBlock, "content">): { added: number; removed: number } | null {
  const diffs = diffsOf(block.content);
  if (diffs.length === 0 || diffs.some(isPart)) return null;
  return diffs.map(diffOf).reduce(
    (sum, one) => ({ added: sum.added + one.added, removed: sum.removed + one.removed }),
    { added: 0, removed: 0 },
  );
}

/** Whether part of a diff is missing. */
export function isPart(content: DiffContent): boolean {
  return content.cut === true;
}

const diffs = new WeakMap<object, { old: string; now: string; from: number; diff: FileDiff }>();

/** The lines of a diff, computed once per content. */
export function diffOf(content: DiffContent): FileDiff {
  const old = content.oldText ?? "";
  const now = content.newText ?? "";
  const from = typeof content.from_line === "number" ? content.from_line : 1;
  const known = diffs.get(content);
  if (known && known.old === old && known.now === now && known.from === from) return known.diff;
  const diff = diffLines(old, now, from);
  diffs.set(content, { old, now, from, diff });
  return diff;
}

/** Tags that one agent puts around error messages. */
const ERROR_TAGS = /<\/?tool_use_error>/g;

/** The error in one line; for a command its exit status or its last line of output. */
export function reasonOf(block: Pick<ToolBlock, "tool_kind" | "output" | "content" | "result">): string | null {
  if (block.result?.is_error) return block.result.content;
  const said = textIn(block.output, "message", "error", "stderr") ?? (typeof block.output === "string" ? block.output : null);
  const shown = block.content.map(textOf).find((text) => text !== null && text.trim() !== "");
  const lines = unfenced(withoutAnsi(said ?? shown ?? ""))
    .replace(ERROR_TAGS, "")
    .split("\n")
    .filter((line) => line.trim() !== "");
  if (block.tool_kind !== "execute") return lines[0] ?? null;
  const code = exitCodeOf(block);
  return code === null ? (lines.at(-1) ?? null) : labels.exitStatus(code);
}

/** Agents often wrap files and output in a code fence. */
export function unfenced(text: string): string {
  return /^\s*(`{3,})[^\n]*\n([\s\S]*?)\n?\1\s*$/.exec(text)?.[2] ?? text;
}

export function exitCodeOf(block: Pick<ToolBlock, "output">): number | null {
  const output = block.output;
  if (typeof output !== "object" || output === null || Array.isArray(output)) return null;
  const places = [output, output["metadata"], ...(Array.isArray(output["contents"]) ? output["contents"] : [])];
  for (const place of places) {
    if (typeof place !== "object" || place === null || Array.isArray(place)) continue;
    const code = place["exitCode"] ?? place["exit_code"] ?? place["exit"];
    if (typeof code === "number") return code;
  }
  return null;
}

/** The text of one content, or null when it is not text. */
export function textOf(content: ToolContent): string | null {
  if (content.type !== "content") return null;
  const part = content.content;
  if (part?.type === "text") return part.text ?? "";
  if (part?.type === "resource") return part.resource?.text ?? null;
  return null;
}

/** The output of a call as text, if its content does not contain it already. */
export function outputText(output: Json | undefined): string | null {
  if (typeof output === "string") return output;
  return textIn(output, "output", "stdout", "formatted_output", "aggregated_output", "content", "result");
}

export function namesOf(blocks: readonly Described[]): string[] {
  return [...new Set(blocks.map((block) => baseName(pathOf(block) ?? block.title)))];
}

function textIn(value: Json | undefined, ...names: string[]): string | null {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  for (const name of names) {
    const found = value[name];
    if (typeof found === "string" && found !== "") return found;
  }
  return null;
}

function withoutVerb(title: string, kind: string): string {
  const verbs = [...(VERBS.get(kind) ?? []), kind, "write", "view", "viewing"];
  const first = title.split(/\s+/, 1)[0] ?? "";
  const said = verbs.some((verb) => verb.toLowerCase() === first.toLowerCase());
  return (said ? title.slice(first.length) : title).trim();
}

function quoted(part: string): string {
  return /^[\w@%+=:,./-]+$/.test(part) ? part : `'${part.replaceAll("'", `'\\''`)}'`;
}
