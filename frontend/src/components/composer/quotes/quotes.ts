// Text with its source, from the clipboard or a drop.
//
// Lives here: finding the source in what the browser hands over. Lives elsewhere: the quote as an attachment
// (../mentions/references.ts), asking for text and source (QuoteDialog.tsx).

export interface Quote {
  readonly text: string;
  readonly source: string;
}

/** Longer quotes are refused; a file can be attached instead. */
export const MOST_CHARACTERS = 100_000;
/** Shorter pastes are not offered as quotes. */
const LEAST_CHARACTERS = 200;
const LEAST_LINES = 3;

/** What a paste or a drop brings; `DataTransfer` has this. */
export interface Brought {
  getData(type: string): string;
}

/** The text with its source, if the source is known. */
export function quoteIn(brought: Brought): Quote | undefined {
  const text = brought.getData("text/plain").trim();
  const source = sourceIn(brought.getData("text/html"));
  return source && text !== "" && text !== source && text.length <= MOST_CHARACTERS ? { text, source } : undefined;
}

/** The address of the page that a piece of HTML was copied from; empty if it is not named. */
export function sourceIn(html: string): string {
  const named = [
    // Windows puts a header before the HTML.
    /^SourceURL:(\S+)/im.exec(html.slice(0, 2_000))?.[1],
    /<!--\s*saved from url=(?:\(\d+\))?(\S+)\s*-->/i.exec(html)?.[1],
  ];
  const page = html.includes("<") ? new DOMParser().parseFromString(html, "text/html") : undefined;
  const cited = page?.querySelector("base[href], blockquote[cite], q[cite]");
  named.push(cited?.getAttribute("href") ?? cited?.getAttribute("cite") ?? undefined);
  return named.find((one) => one !== undefined && isPage(one)) ?? "";
}

/** Long enough to be somebody else's words. */
export function mayBeQuote(text: string): boolean {
  const isLong = text.length >= LEAST_CHARACTERS || text.trim().split("\n").length >= LEAST_LINES;
  return isLong && text.length <= MOST_CHARACTERS;
}

function isPage(address: string): boolean {
  return URL.canParse(address) && ["http:", "https:"].includes(new URL(address).protocol);
}
