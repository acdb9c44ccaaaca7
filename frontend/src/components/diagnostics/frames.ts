// The entries of a protocol log: choosing some of them, and saving them.
//
// Everything in them comes from an agent and is only ever shown as text.
import type { FrameInfo } from "../../state";

export type Way = FrameInfo["way"];

/** Those in a direction that contain all words, whatever their case; notes belong to both directions. */
export function chosen(frames: readonly FrameInfo[], way: Way | "all", words: string): FrameInfo[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  return frames.filter((frame) => {
    if (way !== "all" && frame.way !== way && frame.way !== "keeper") return false;
    const text = `${frame.method} ${frame.kind} ${frame.id} ${frame.text}`.toLowerCase();
    return wanted.every((word) => text.includes(word));
  });
}

/** "820 B", "12 kB", "3.4 MB". */
export function size(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${Math.round(bytes / 1000)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** Save a text as a file on this device. */
export function save(name: string, text: string, type: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href));
}

export interface Process {
  readonly pid: number;
  readonly parent: number;
}

/** Parents before their children, with the depth of each. */
export function treeOf<P extends Process>(processes: readonly P[]): { process: P; depth: number }[] {
  const known = new Set(processes.map((one) => one.pid));
  const found: { process: P; depth: number }[] = [];
  const seen = new Set<number>();
  const add = (process: P, depth: number): void => {
    if (seen.has(process.pid)) return;
    seen.add(process.pid);
    found.push({ process, depth });
    for (const child of processes) if (child.parent === process.pid) add(child, depth + 1);
  };
  for (const process of processes) if (!known.has(process.parent)) add(process, 0);
  for (const process of processes) add(process, 0);
  return found;
}
