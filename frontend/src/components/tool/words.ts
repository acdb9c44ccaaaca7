// Tool calls in words.
//
// Lives here: verb and object of a call by kind and status, the command it runs, what it has to show. What an agent
// says of its call is only words: nothing here decides anything. Lives elsewhere: drawing (ToolCall.tsx).
import type { DiffContent, Json, ToolBlock, ToolContent } from "../../state";
import { diffLines, type FileDiff } from "../diff/lines";
import { baseName, within } from "../paths";
import { withoutAnsi } from "./ansi";

export type Progress = "waiting" | "running" | "done" | "failed" | "cancelled";

/** The part of a tool call that describing it needs; a question's detail has it too. */
export type Described = Pick<ToolBlock, "title" | "tool_kind" | "input" | "locations" | "content">;

const VERBS: Record<string, readonly [wish: string, now: string, past: string]> = {
  read: ["Read", "Reading", "Read"],
  edit: ["Edit", "Editing", "Edited"],
  delete: ["Delete", "Deleting", "Deleted"],
  move: ["Move", "Moving", "Moved"],
  search: ["Search", "Searching", "Searched"],
  execute: ["Run", "Running", "Ran"],
  think: ["Think", "Thinking", "Thought"],
  fetch: ["Fetch", "Fetching", "Fetched"],
  switch_mode: ["Switch mode", "Switching mode", "Switched mode"],
};

/** The assistant's own tools, by name. */
const OWN_VERBS: Record<string, readonly [wish: string, now: string, past: string]> = {
  list_directory: ["List", "Listing", "Listed"],
  glob_search: ["Find", "Finding", "Found"],
  grep_search: ["Search for", "Searching for", "Searched for"],
  git_diff: ["Compare", "Comparing", "Compared"],
  git_show: ["Look at", "Looking at", "Looked at"],
};
const OWN_SUBJECTS: Record<string, string> = { list_directory: "the workspace", git_diff: "what has changed", git_show: "the last commit" };

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

/** "Edit", "Editing", "Edited"; empty where the agent's own title must do. */
export function verbOf(block: Pick<ToolBlock, "tool_kind" | "status" | "name">): string {
  const [wish, now, past] = OWN_VERBS[block.name ?? ""] ?? VERBS[block.tool_kind] ?? ["", "", ""];
  switch (progressOf(block)) {
    case "running":
      return now;
    case "done":
      return past;
    case "waiting":
      return wish;
    default:
      // A command that failed did run; an edit that failed was none.
      return block.tool_kind === "execute" ? past : wish;
  }
}

/** What the verb is about: a path, a command, or the agent's title without a verb said twice. */
export function subjectOf(block: Described & Pick<ToolBlock, "name">, workspace?: string): string {
  if (block.name !== undefined && block.name in OWN_VERBS) return ownSubject(block, workspace);
  const path = pathOf(block);
  if (path && ["read", "edit", "delete"].includes(block.tool_kind)) return within(workspace, path);
  const command = commandOf(block);
  if (command && block.tool_kind === "execute") return command;
  return withoutVerb(block.title, block.tool_kind) || block.tool_kind;
}

function ownSubject(block: Described & Pick<ToolBlock, "name">, workspace?: string): string {
  const given = textIn(block.input, "pattern", "path", "revision", "commit", "ref");
  return given === null || given === "." ? (OWN_SUBJECTS[block.name!] ?? block.title) : within(workspace, given);
}

/** Whether the subject is to be set as code. */
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
  const input = block.input;
  if (typeof input !== "object" || input === null || Array.isArray(input)) return null;
  const command = input["command"] ?? input["cmd"];
  if (typeof command === "string") return command;
  if (Array.isArray(command) && command.every((part) => typeof part === "string")) return command.map(quoted).join(" ");
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

/** How a command ended; if nobody knows, it was with its agent. */
export function endOf(exit: { exit_code?: number; signal?: string }): string {
  if (exit.signal) return `Ended by ${exit.signal}`;
  return exit.exit_code === undefined ? "Ended" : `Exit status ${exit.exit_code}`;
}

/** Added and removed lines of all diffs of a call, unless only a part of them is at hand. */
export function changeOf(block: Pick<ToolBlock, "content">): { added: number; removed: number } | null {
  const diffs = diffsOf(block.content);
  if (diffs.length === 0 || diffs.some(isPart)) return null;
  return diffs.map(diffOf).reduce(
    (sum, one) => ({ added: sum.added + one.added, removed: sum.removed + one.removed }),
    { added: 0, removed: 0 },
  );
}

/** Whether some of what a diff changes is not here. */
export function isPart(content: DiffContent): boolean {
  return content.cut === true;
}

const diffs = new WeakMap<object, { old: string; now: string; from: number; diff: FileDiff }>();

/** The lines of a diff, worked out once for each content. */
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

/** One agent puts them around what it tells its model of a failure. */
const ERROR_TAGS = /<\/?tool_use_error>/g;

/** What went wrong, in one line; of a command its status, or else the last it said. */
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
  return code === null ? (lines.at(-1) ?? null) : `Exit status ${code}`;
}

/** Agents like to put files and output into a fence of their own. */
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

/** The output of a call in words, when its contents do not say it already. */
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
  const verbs = [...(VERBS[kind] ?? []), kind, "write", "view", "viewing"];
  const first = title.split(/\s+/, 1)[0] ?? "";
  const said = verbs.some((verb) => verb.toLowerCase() === first.toLowerCase());
  return (said ? title.slice(first.length) : title).trim();
}

function quoted(part: string): string {
  return /^[\w@%+=:,./-]+$/.test(part) ? part : `'${part.replaceAll("'", `'\\''`)}'`;
}
