// Where a link in an agent's text may lead.
//
// Lives here: telling web addresses from everything else, and showing where they really lead. Anything that is not
// clearly a web or mail address does not become a link.

export interface Target {
  readonly href: string;
  /** The host, or the mail address. */
  readonly where: string;
}

const ALLOWED = new Set(["http:", "https:", "mailto:"]);

export function targetOf(address: string): Target | null {
  let url: URL;
  try {
    url = new URL(address);
  } catch {
    return null;
  }
  if (!ALLOWED.has(url.protocol)) return null;
  if (url.protocol === "mailto:") return { href: url.href, where: url.pathname };
  return url.host ? { href: url.href, where: url.host } : null;
}

/** Whether the text of a link already shows its whole destination. */
export function saysWhere(words: string, target: Target): boolean {
  const plain = (text: string) => text.trim().replace(/^(https?:\/\/|mailto:)/i, "").replace(/\/$/, "");
  return plain(words) === plain(target.href);
}

/** A small picture inside the text itself; nothing is fetched for it. */
export function isInlinePicture(address: string): boolean {
  return /^data:image\/(?:png|jpeg|gif|webp);base64,[a-z0-9+/=\s]+$/i.test(address);
}
