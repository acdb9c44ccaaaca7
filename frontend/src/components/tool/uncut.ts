// What was cut, whole.
//
// Lives here: which events hold the whole of what is shown of a tool call only in part, and what it is with them. Lives
// elsewhere: how a call came to name them (../../state/applyEvent.ts), saying that something is cut (CutNote.tsx).
import { wholeEvent, type DiffContent, type JsonObject, type ToolBlock, type ToolContent } from "../../state";

type Cut = Pick<ToolBlock, "cut_at"> & { content?: ToolContent[] };
export type WholeEvents = ReadonlyMap<number, JsonObject>;

/** The events that hold what is here only in part. */
export function placesOf(shown: Cut): number[] {
  const kept = (shown.content ?? []).flatMap((item) => wholePlace(item)?.seq ?? []);
  return [...new Set([...Object.values(shown.cut_at ?? {}), ...kept])];
}

export async function load(chat: string, places: readonly number[]): Promise<WholeEvents> {
  const events = await Promise.all(places.map((seq) => wholeEvent(chat, seq)));
  return new Map(places.map((seq, at) => [seq, events[at] as JsonObject]));
}

/** With all that these events hold; what they do not hold stays as it is. */
export function uncut<T extends Cut>(shown: T, events: WholeEvents): T {
  const cut = Object.entries(shown.cut_at ?? {});
  const found = cut.flatMap(([name, seq]) => (events.has(seq) ? [[name, events.get(seq)?.[name]]] : []));
  const whole = Object.fromEntries(found) as Cut;
  const cut_at = Object.fromEntries(cut.filter(([, seq]) => !events.has(seq)));
  if (shown.content === undefined) return { ...shown, ...whole, cut_at };
  const content = shown.content.map((item) => wholeOf(item, events));
  const told = new Set(whole.content?.map((item) => isDiff(item) && item.path));
  const kept = content.filter((item) => isDiff(item) && !told.has(item.path));
  return { ...shown, ...whole, content: whole.content ? [...whole.content, ...kept] : content, cut_at };
}

function wholeOf(item: ToolContent, events: WholeEvents): ToolContent {
  const place = wholePlace(item);
  const content = place && (events.get(place.seq)?.["content"] as ToolContent[] | undefined);
  return content?.[place?.item ?? 0] ?? item;
}

function wholePlace(item: ToolContent): { seq: number; item: number } | undefined {
  return isDiff(item) ? item.whole_at : undefined;
}

function isDiff(item: ToolContent): item is DiffContent {
  return item.type === "diff";
}
