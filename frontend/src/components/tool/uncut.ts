// Loading the whole of cut content.
//
// Lives here: which events hold the whole of a tool call's cut fields, and putting them in place. Lives
// elsewhere: how a call refers to them (state/chats/applyEvent.ts), showing that something is cut (CutNote.tsx).
import { wholeEvent, type DiffContent, type JsonObject, type ToolBlock, type ToolContent } from "../../state";

type Cut = Pick<ToolBlock, "cut_at"> & { content?: ToolContent[] };
export type WholeEvents = ReadonlyMap<number, JsonObject & { content?: ToolContent[] }>;

/** The events that hold the whole of cut fields. */
export function placesOf(shown: Cut): number[] {
  const kept = (shown.content ?? []).flatMap((item) => wholePlace(item)?.seq ?? []);
  return [...new Set([...Object.values(shown.cut_at ?? {}), ...kept])];
}

export async function load(chat: string, places: readonly number[]): Promise<WholeEvents> {
  const events = places.map(async (seq) => [seq, await wholeEvent<"tool-update">(chat, seq)] as const);
  return new Map(await Promise.all(events));
}

/** Replace cut fields by the values in these events. */
export function uncut<T extends Cut>(shown: T, events: WholeEvents): T {
  const cut = Object.entries(shown.cut_at ?? {});
  const found = cut.flatMap(([name, seq]) => (events.has(seq) ? [[name, events.get(seq)?.[name]]] : []));
  const whole: Cut = Object.fromEntries(found);
  const cut_at = Object.fromEntries(cut.filter(([, seq]) => !events.has(seq)));
  if (shown.content === undefined) return { ...shown, ...whole, cut_at };
  const content = shown.content.map((item) => wholeOf(item, events));
  const told = new Set(whole.content?.map((item) => isDiff(item) && item.path));
  const kept = content.filter((item) => isDiff(item) && !told.has(item.path));
  return { ...shown, ...whole, content: whole.content ? [...whole.content, ...kept] : content, cut_at };
}

function wholeOf(item: ToolContent, events: WholeEvents): ToolContent {
  const place = wholePlace(item);
  const content = place && events.get(place.seq)?.content;
  return content?.[place?.item ?? 0] ?? item;
}

function wholePlace(item: ToolContent): { seq: number; item: number } | undefined {
  return isDiff(item) ? item.whole_at : undefined;
}

function isDiff(item: ToolContent): item is DiffContent {
  return item.type === "diff";
}
