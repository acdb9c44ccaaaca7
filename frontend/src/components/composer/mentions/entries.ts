// What the lists of mentions and commands offer.
//
// Lives here: entries, best match first, and what choosing one does. Lives elsewhere: the search for files (search.ts),
// drawing (EntryList.tsx), carrying out a choice (picker.ts).

import type { AgentCommand, ChatInfo, FoundFiles, JsonObject, Skill } from "../../../state";
import { labels } from "./labels";
import {
  chatReference, diffReference, fileReference, folderReference, mentionWords, skillReference,
} from "./references";
import { withoutLines } from "./token";

/** `insert` puts words in place of what was typed; `continue` does so and keeps the list open. */
export type Choice =
  | { readonly act: "attach"; readonly attachment: JsonObject; readonly words: string }
  | { readonly act: "insert" | "continue"; readonly words: string };

export interface Entry {
  readonly key: string;
  readonly icon: "file" | "folder" | "diff" | "chat" | "command" | "skill";
  readonly name: string;
  readonly note: string;
  readonly marks: readonly string[];
  readonly choice: Choice;
}

export type MentionedChat = Pick<ChatInfo, "id" | "title">;

const MOST_COMMANDS = 20;
const MOST_SKILLS = 20;
const MOST_CHATS = 8;
/** Chats among files, before somebody asks for chats. */
const FEW_CHATS = 3;
const CHATS = "chat:";

/** A result, and the words that were searched for. */
export interface Searched {
  readonly found: FoundFiles | undefined;
  readonly q: string;
  readonly problem: string;
}

/** The `@` list; empty before the first result, so that nothing moves when it arrives. */
export function mentionEntries(query: string, searched: Searched, chats: readonly MentionedChat[]): Entry[] {
  if (isForChats(query)) return chatsLike(chats, query.slice(CHATS.length)).slice(0, MOST_CHATS).map(chatEntry);
  if (searched.found === undefined && searched.problem === "") return [];
  const some = query === "" ? [] : chatsLike(chats, query).slice(0, FEW_CHATS).map(chatEntry);
  const special = [diffEntry(), ...(chats.length > 0 ? [chatsEntry()] : [])].filter((one) => wordOf(one).startsWith(query.toLowerCase()));
  return query === "" ? [...filesOf(searched, query), ...special] : [...special, ...filesOf(searched, query), ...some];
}

/** What to search the workspace for; undefined if the words ask for a chat. */
export function fileWords(query: string): string | undefined {
  return isForChats(query) ? undefined : withoutLines(query).path;
}

/** The `/` list: commands of the agent, then skills. An agent may list a command twice. */
export function commandEntries(query: string, commands: readonly AgentCommand[], skills: readonly Skill[]): Entry[] {
  const offered = ranked(query, commands, (one) => [one.name]);
  const distinct = [...new Map(offered.map((one) => [one.name, one])).values()];
  return [...distinct.slice(0, MOST_COMMANDS).map(commandEntry), ...skillEntries(query, skills)];
}

export function skillEntries(query: string, skills: readonly Skill[]): Entry[] {
  return ranked(query, skills, (one) => [one.name, ...one.tags, one.description]).slice(0, MOST_SKILLS).map(skillEntry);
}

function isForChats(query: string): boolean {
  return query.toLowerCase().startsWith(CHATS);
}

/** Those whose words contain the query; those whose first word starts with it come first. */
function ranked<T>(query: string, all: readonly T[], words: (one: T) => readonly string[]): T[] {
  const wanted = query.toLowerCase();
  const fits = all.filter((one) => words(one).some((word) => word.toLowerCase().includes(wanted)));
  const rank = (one: T) => {
    const name = words(one)[0]!.toLowerCase();
    return name.startsWith(wanted) ? 0 : name.includes(wanted) ? 1 : 2;
  };
  return fits.toSorted((one, other) => rank(one) - rank(other));
}

function chatsLike(chats: readonly MentionedChat[], words: string): MentionedChat[] {
  return chats.filter((chat) => chat.title.toLowerCase().includes(words.toLowerCase()));
}

/** Of a result for earlier words, what fits the words typed since. */
function filesOf({ found, q }: Searched, query: string): Entry[] {
  const { path: words, lines } = withoutLines(query);
  const files = found?.files ?? [];
  return (q === words ? files : files.filter(({ path }) => containsInOrder(path, words))).map(({ path, folder, changed, recent }) => {
    const attachment = folder ? folderReference(path) : fileReference(path, lines);
    const bare = path.replace(/\/+$/, "");
    const at = bare.lastIndexOf("/");
    const suffix = folder ? "/" : lines ? labels.lines(...lines) : "";
    return {
      key: `file ${path}`,
      icon: folder ? "folder" : "file",
      name: bare.slice(at + 1) + suffix,
      note: bare.slice(0, Math.max(0, at)),
      marks: [changed ? labels.changed : "", recent && !changed ? labels.recent : ""].filter(Boolean),
      choice: { act: "attach", attachment, words: mentionWords(attachment) },
    } as const;
  });
}

function containsInOrder(path: string, words: string): boolean {
  let at = 0;
  const text = path.toLowerCase();
  return [...words.toLowerCase()].every((letter) => (at = text.indexOf(letter, at) + 1) > 0);
}

function diffEntry(): Entry {
  const attachment = diffReference();
  return {
    key: "diff", icon: "diff", name: labels.diff, note: labels.diffNote, marks: [],
    choice: { act: "attach", attachment, words: mentionWords(attachment) },
  };
}

function chatsEntry(): Entry {
  return {
    key: "chats", icon: "chat", name: labels.chats, note: labels.chatsNote, marks: [],
    choice: { act: "continue", words: `@${CHATS}` },
  };
}

/** What somebody types for an entry that is always there. */
function wordOf(entry: Entry): string {
  return entry.key === "chats" ? CHATS : entry.key;
}

function chatEntry(chat: MentionedChat): Entry {
  const attachment = chatReference(chat.id, chat.title);
  return {
    key: `chat ${chat.id}`, icon: "chat", name: chat.title || labels.untitled, note: labels.chat, marks: [],
    choice: { act: "attach", attachment, words: mentionWords(attachment) },
  };
}

function commandEntry(command: AgentCommand): Entry {
  return {
    key: `command ${command.name}`, icon: "command", name: `/${command.name}`, note: command.description ?? "", marks: [],
    choice: { act: "insert", words: `/${command.name}` },
  };
}

function skillEntry(skill: Skill): Entry {
  return {
    key: `skill ${skill.id}`, icon: "skill", name: skill.name, note: skill.description,
    marks: [labels.skill, ...(skill.always_active ? [labels.always] : [])],
    choice: { act: "attach", attachment: skillReference(skill.id, skill.name), words: "" },
  };
}
