// Sizes in words.

const KILO = 1000;

/** "0 bytes", "840 bytes", "2.1 kB", "64 kB", "1.4 MB". */
export function bytesWords(bytes: number): string {
  if (bytes < KILO) return bytes === 1 ? "1 byte" : `${bytes} bytes`;
  const [size, unit] = bytes < KILO * KILO ? [bytes / KILO, "kB"] : [bytes / KILO / KILO, "MB"];
  return `${size < 10 ? size.toFixed(1).replace(/\.0$/, "") : Math.round(size)} ${unit}`;
}
