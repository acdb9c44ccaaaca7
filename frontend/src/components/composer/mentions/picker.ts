// The list above the message field: whether it is open, what it offers, which entry is active.
//
// Lives here: its state, its keys, and carrying out a choice in a draft. Lives elsewhere: what is offered (entries.ts),
// drawing it (PickerAbove.tsx), the Add sheet (AddSheet.tsx).

import { createEffect, createMemo, createSignal, on, type Accessor } from "solid-js";

import { fetchSkills, knownSkills, useChats, type AgentCommand, type Draft, type JsonObject, type SkillList } from "../../../state";
import { messageOf } from "../../controls/attempt";
import { commandEntries, fileWords, mentionEntries, type Entry, type MentionedChat } from "./entries";
import { isSameReference } from "./references";
import { createFileSearch, type FileSearch } from "./search";
import { replaced, tokenAt, type Token } from "./token";

/** Where to look for what is mentioned. */
export interface Surroundings {
  readonly workspace: string;
  /** Not offered as an earlier chat. */
  readonly chat?: string;
}

export interface Picker {
  readonly token: Accessor<Token | undefined>;
  readonly entries: Accessor<readonly Entry[]>;
  readonly search: Accessor<FileSearch>;
  /** Why the skills are not listed. */
  readonly problem: Accessor<string>;
  /** The active entry; -1 if there is none. */
  readonly at: Accessor<number>;
  point(at: number): void;
  choose(entry: Entry): void;
  /** Whether the key was for the list. */
  takeKey(event: KeyboardEvent): boolean;
  /** The caret was moved or the text changed. */
  follow(field: HTMLTextAreaElement): void;
  /** The field has lost the focus. */
  leave(): void;
}

export function createPicker(given: {
  draft: () => Draft;
  about: () => Surroundings | undefined;
  commands: () => readonly AgentCommand[];
  field: () => HTMLTextAreaElement | undefined;
}): Picker {
  /** Undefined while the field is not focused. */
  const [caret, setCaret] = createSignal<number>();
  const [wished, setWished] = createSignal(0);
  const [dismissed, setDismissed] = createSignal("");
  const text = () => given.draft().text;
  const token = createMemo(
    () => {
      const at = caret();
      const found = at === undefined ? undefined : tokenAt(text(), Math.min(at, text().length));
      if (found === undefined || (found.sign === "@" && given.about() === undefined)) return undefined;
      return nameOf(text(), found) === dismissed() ? undefined : found;
    },
    undefined,
    { equals: (one, other) => JSON.stringify(one) === JSON.stringify(other) },
  );
  const query = (sign: Token["sign"]) => (token()?.sign === sign ? token()!.query : undefined);
  const skills = createSkills(() => (query("/") === undefined ? undefined : given.about()?.workspace));
  const search = createFileSearch(() => {
    const words = fileWords(query("@") ?? "chat:");
    return words === undefined ? undefined : { workspace: given.about()!.workspace, q: words };
  });
  const chats = useMentionedChats(() => given.about()?.chat);
  const entries = createMemo(() => {
    const now = token();
    if (now === undefined) return [];
    if (now.sign === "@") return mentionEntries(now.query, search(), chats());
    return commandEntries(now.query, given.commands(), skills.list()?.skills ?? []);
  });
  const at = () => Math.min(wished(), entries().length - 1);
  createEffect(on(token, () => setWished(0)));

  function write(now: Token, { words, act }: Entry["choice"]) {
    const made = replaced(text(), now, words, act !== "continue");
    given.draft().set(made.text);
    setCaret(made.caret);
    given.field()?.setSelectionRange(made.caret, made.caret);
  }
  function choose(entry: Entry) {
    const now = token();
    if (now === undefined) return;
    write(now, entry.choice);
    if (entry.choice.act === "attach") void attachReference(given.draft(), entry.choice.attachment);
  }
  function takeKey(event: KeyboardEvent): boolean {
    const now = token();
    const entry = entries()[at()];
    if (now === undefined || event.isComposing) return false;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    // A complete command is sent by Enter. While a search is on its way, Enter does nothing: what it would choose is not known.
    const isWhole = now.sign === "/" && text().trim() === entry?.choice.words;
    const isEarly = event.key === "Enter" && !entry && now.sign === "@" && search().isLoading;
    if (event.key === "Escape") setDismissed(nameOf(text(), now));
    else if (!isEarly && (!entry || event.shiftKey || event.altKey || event.ctrlKey || event.metaKey)) return false;
    else if (step !== undefined) setWished((at() + step + entries().length) % entries().length);
    else if (entry && (event.key === "Tab" || (event.key === "Enter" && !isWhole))) choose(entry);
    else if (!isEarly) return false;
    event.preventDefault();
    return true;
  }
  return {
    token, entries, search, problem: skills.problem, at, point: setWished, choose, takeKey,
    follow: (field) => setCaret(field.selectionStart),
    leave: () => setCaret(undefined),
  };
}

/** Attach it, in place of one that names the same thing. */
export async function attachReference(draft: Draft, attachment: JsonObject): Promise<void> {
  const same = draft.attachments.filter((one) => isSameReference(one, attachment));
  if (same.length > 0) draft.detach(same);
  await draft.attach([attachment]);
}

/** The chats that can be mentioned, newest first. */
export function useMentionedChats(here: () => string | undefined): Accessor<readonly MentionedChat[]> {
  const chats = useChats();
  return () => chats.list.filter((chat) => chat.id !== here() && chat.title !== "");
}

/** The skills of a workspace: those known at once, then those it has now. Undefined asks for none. */
export function createSkills(workspace: Accessor<string | undefined>): { list: Accessor<SkillList | undefined>; problem: Accessor<string> } {
  const [list, setList] = createSignal<SkillList>();
  const [problem, setProblem] = createSignal("");
  createEffect(
    on(workspace, (folder) => {
      setProblem("");
      if (folder === undefined) return;
      setList(knownSkills(folder));
      fetchSkills(folder).then(
        (now) => workspace() === folder && setList(now),
        (error: unknown) => workspace() === folder && setProblem(messageOf(error)),
      );
    }),
  );
  return { list, problem };
}

/** A word that was dismissed stays so while it is not changed. */
function nameOf(text: string, token: Token): string {
  return `${token.start} ${text.slice(token.start, token.end)}`;
}
