// What the lists of mentions and commands offer.
//
// Lives here: entries, best match first, and what choosing one does. Lives elsewhere:
// drawing (EntryList.tsx), carrying out a choice (picker.ts).

import type { AgentCommand, ChatInfo, JsonObject, Skill } from "../../../state";
import { labels } from "./labels";
import { chatReference, diffReference, mentionWords, skillReference } from "./references";

/** `insert` puts words in place of what was typed; `continue` does so and keeps the list open. */
export type Choice =
  | { readonly act: "attach"; readonly attachment: JsonObject; readonly words: string }
  | { readonly act: "insert" | "continue"; readonly words: string };

export interface Entry {
  readonly key: string;
  readonly icon: "diff" | "chat" | "command" | "skill";
  readonly name: string;
  readonly note: string;
  readonly marks: readonly string[];
  readonly choice: Choice;
}

export type MentionedChat = Pick<ChatInfo, "id" | "title">;

const MOST_COMMANDS = 20;
const MOST_SKILLS = 20;
const MOST_CHATS = 8;
/** Chats among the rest, before somebody asks for chats. */
const FEW_CHATS = 3;
const CHATS = "chat:";

/** The `@` list. */
export function mentionEntries(query: string, chats: readonly MentionedChat[]): Entry[] {
  if (isForChats(query)) return chatsLike(chats, query.slice(CHATS.length)).slice(0, MOST_CHATS).map(chatEntry);
  const some = query === "" ? [] : chatsLike(chats, query).slice(0, FEW_CHATS).map(chatEntry);
  const special = [diffEntry(), ...(chats.length > 0 ? [chatsEntry()] : [])].filter((one) => wordOf(one).startsWith(query.toLowerCase()));
  return [...special, ...some];
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

export function isForChats(query: string): boolean {
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
