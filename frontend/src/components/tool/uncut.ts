// What was cut, whole.
//
// Lives here: the fields of a tool call of which only a preview is shown, each from the event that holds it. Lives
// elsewhere: which event that is (../../state/applyEvent.ts), saying that something is cut (CutNote.tsx).
import { wholeEvent, type ToolBlock, type ToolContent } from "../../state";
import { textOf } from "./words";

type Cut = Pick<ToolBlock, "cut_at"> & { content?: ToolContent[] };

/** The fields that were cut, and nothing cut any more. */
export async function uncut(chat: string, shown: Cut): Promise<Partial<ToolBlock>> {
  const places = Object.entries(shown.cut_at ?? {});
  const events = new Map<number, Promise<unknown>>();
  for (const [, seq] of places) if (!events.has(seq)) events.set(seq, wholeEvent(chat, seq));
  const whole: Record<string, unknown> = { cut_at: {} };
  for (const [name, seq] of places) {
    const value = ((await events.get(seq)) as Record<string, unknown>)[name];
    whole[name] = name === "content" ? contentWith(shown.content ?? [], value as ToolContent[]) : value;
  }
  return whole as Partial<ToolBlock>;
}

/** The event is not all there is to see: diffs of other files are kept from before it, other contents came after it. */
export function contentWith(shown: readonly ToolContent[], loaded: readonly ToolContent[]): ToolContent[] {
  const told = new Set(loaded.filter(isDiff).map((item) => item.path));
  const others = shown.filter((item) => !isDiff(item));
  const loadedOthers = loaded.filter((item) => !isDiff(item));
  const isOld = others.some((item, at) => !isBeginning(item, loadedOthers[at]));
  return [
    ...(isOld ? [...others, ...loaded.filter(isDiff)] : loaded),
    ...shown.filter((item) => isDiff(item) && !told.has(item.path)),
  ];
}

function isBeginning(item: ToolContent, of: ToolContent | undefined): boolean {
  if (of === undefined) return false;
  const text = textOf(item);
  if (text === null) return item.type === of.type;
  return textOf(of)?.startsWith(text.replace(/…$/, "")) ?? false;
}

function isDiff(item: ToolContent): item is Extract<ToolContent, { type: "diff" }> {
  return item.type === "diff";
}
