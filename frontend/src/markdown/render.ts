// Markdown to untrusted HTML.
//
// Lives here: rendering each kind of markdown. HTML in the text stays text, except for a few tags without
// attributes. Lives elsewhere: the sanitiser that follows (sanitise.ts), streaming (streamed.ts).
import { Marked, type Token, type Tokens, type TokensList } from "marked";

import { isInlinePicture, saysWhere, targetOf } from "./links";

const HARMLESS = /^<\/?(?:br|kbd|sub|sup|b|i|u|s|em|strong|del|ins|mark|small)\s*\/?>$/i;
/** The placeholder `remend` inserts for an incomplete image. */
const UNFINISHED = "streamdown:incomplete-image";

const marked = new Marked({
  gfm: true,
  breaks: false,
  renderer: {
    html: ({ text }) => (HARMLESS.test(text.trim()) ? text : escaped(text)),
    code: ({ text, lang }) => `<pre><code${languageClass(lang)}>${escaped(text)}</code></pre>`,
    link(token) {
      return link(token, this.parser.parseInline(token.tokens));
    },
    image,
    checkbox: ({ checked }) => `<span class="md-check${checked ? " md-checked" : ""}"></span> `,
    table(token) {
      return table(token, (cell) => this.parser.parseInline(cell.tokens));
    },
  },
});

export function lex(text: string): TokensList {
  return marked.lexer(text);
}

export function htmlOf(tokens: Token[]): string {
  return marked.parser(tokens);
}

function link(token: Tokens.Link, words: string): string {
  const target = targetOf(token.href);
  if (!target) return `<span class="md-path" title="${escaped(token.href)}">${words}</span>`;
  const where = saysWhere(token.text, target) ? "" : `<span class="md-host">${escaped(target.where)}</span>`;
  return `<a href="${escaped(target.href)}" title="${escaped(target.href)}">${words}</a>${where}`;
}

function image({ href, text }: Tokens.Image): string {
  if (href === UNFINISHED) return "";
  if (isInlinePicture(href)) return `<img class="md-image" src="${escaped(href)}" alt="${escaped(text)}">`;
  const target = targetOf(href);
  const name = escaped(text || "image");
  if (!target) return `<span class="md-blocked">${name} (not shown)</span>`;
  return (
    `<a class="md-blocked" href="${escaped(target.href)}" title="${escaped(target.href)}">` +
    `Remote image blocked: ${name}</a><span class="md-host">${escaped(target.where)}</span>`
  );
}

function table(token: Tokens.Table, inner: (cell: Tokens.TableCell) => string): string {
  const row = (cells: Tokens.TableCell[], tag: string) =>
    `<tr>${cells.map((cell) => `<${tag}${alignClass(cell.align)}>${inner(cell)}</${tag}>`).join("")}</tr>`;
  const body = token.rows.map((cells) => row(cells, "td")).join("");
  return (
    `<div class="md-table"><table><thead>${row(token.header, "th")}</thead>` + `<tbody>${body}</tbody></table></div>`
  );
}

function alignClass(align: "center" | "left" | "right" | null): string {
  return align === "center" || align === "right" ? ` class="md-${align}"` : "";
}

function languageClass(lang: string | undefined): string {
  const name = /^[\w+#.-]{1,30}/.exec(lang?.trim() ?? "")?.[0];
  return name ? ` class="language-${name.toLowerCase()}"` : "";
}

function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
}
