// The event-stream format.
//
// Lives here: bytes, in chunks of any size, to events. Lives elsewhere:
// the connection (serverStream.ts).

export interface SseEvent {
  kind: string;
  data: unknown;
}

export class SseReader {
  #decoder = new TextDecoder();
  #waiting: string[] = [];
  #kind = "";
  #data: string[] = [];

  /** The events that these bytes complete. */
  take(bytes: Uint8Array): SseEvent[] {
    const events: SseEvent[] = [];
    const text = this.#decoder.decode(bytes, { stream: true });
    let start = 0;
    // Pieces of a long line are joined once, at its end: a line may arrive in hundreds of pieces.
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", start)) {
      this.#waiting.push(text.slice(start, end));
      const event = this.#takeLine(this.#waiting.join(""));
      if (event !== undefined) events.push(event);
      this.#waiting = [];
      start = end + 1;
    }
    if (start < text.length) this.#waiting.push(text.slice(start));
    return events;
  }

  #takeLine(raw: string): SseEvent | undefined {
    const line = raw.endsWith("\r") ? raw.slice(0, -1) : raw;
    if (line === "") return this.#finish();
    const colon = line.indexOf(":");
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + (line[colon + 1] === " " ? 2 : 1));
    if (name === "event") this.#kind = value;
    if (name === "data") this.#data.push(value);
    return undefined;
  }

  #finish(): SseEvent | undefined {
    const [kind, data] = [this.#kind || "message", this.#data];
    this.#kind = "";
    this.#data = [];
    return data.length === 0 ? undefined : { kind, data: JSON.parse(data.join("\n")) };
  }
}
