"""Checking a page for elements that stick out, are cut off, covered or too faint.

Lives here: the rules for every screen. Lives elsewhere: the screens (test_looks.py).
"""

from __future__ import annotations

from tests.browser.person import Tab

FAINT = 4.5
FAINT_WHEN_LARGE = 3.0
"""The contrast that WCAG level AA requires for text."""


async def flaws_of(tab: Tab) -> list[str]:
    """The problems found on the page."""
    return list(await tab.evaluate(_LOOK, {"faint": FAINT, "large": FAINT_WHEN_LARGE}))


_LOOK = """async ({ faint, large }) => {
  const passing = document.getAnimations().filter((one) => one.timeline === document.timeline &&
    one.effect.getComputedTiming().iterations !== Infinity);
  await Promise.allSettled(passing.map((one) => one.finished));

  const flaws = [];
  const wide = document.documentElement.clientWidth;
  const front = document.querySelector("dialog:modal") ?? document.body;
  const named = (node) => `<${node.tagName.toLowerCase()} ${node.className?.baseVal ?? node.className}> ` +
    `"${(node.ariaLabel || node.textContent || node.value || "").trim().slice(0, 40)}"`;
  const shown = (node) => node.checkVisibility({ opacityProperty: true, visibilityProperty: true }) &&
    node.getBoundingClientRect().width > 1 && !node.closest("[inert], .visually-hidden");
  const isFrame = (node) => getComputedStyle(node).overflow !== "visible";
  const scrolls = (node) => ["auto", "scroll"].includes(getComputedStyle(node).overflowX);
  function* ancestors(node) {
    for (let above = node.parentElement; above; above = above.parentElement) yield above;
  }

  const excess = document.documentElement.scrollWidth - wide;
  if (excess > 0) flaws.push(`the page is wider than its window by ${excess}`);

  for (const node of front.querySelectorAll("button, a[href], input, select, textarea, summary")) {
    if (!shown(node)) continue;
    const box = node.getBoundingClientRect();
    const frames = [...ancestors(node)].filter(isFrame)
      .map((above) => ({ at: above.getBoundingClientRect(), scrolls: scrolls(above) }));
    if (!frames.some((frame) => frame.scrolls) && (box.left < -1 || box.right > wide + 1))
      flaws.push(`sticks out: ${named(node)}`);
    const [frame] = frames;
    if (frame && !frame.scrolls && (box.right > frame.at.right + 2 || box.left < frame.at.left - 2))
      flaws.push(`cut off at the side: ${named(node)}`);
    const x = box.left + box.width / 2, y = box.top + box.height / 2;
    const isAway = (at) => y < at.top || y > at.bottom || x > at.right || x < at.left;
    if (frames.some((frame) => isAway(frame.at)) || getComputedStyle(node).pointerEvents === "none") continue;
    const hit = document.elementFromPoint(x, y);
    if (hit && !node.contains(hit) && !hit.contains(node) && !node.closest("label")?.contains(hit))
      flaws.push(`covered: ${named(node)} by ${named(hit)}`);
  }

  const canvas = Object.assign(document.createElement("canvas"), { width: 1, height: 1 });
  const pen = canvas.getContext("2d", { willReadFrequently: true });
  const rgba = (colour) => {
    pen.clearRect(0, 0, 1, 1);
    pen.fillStyle = colour;
    pen.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = pen.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const blend = ([r, g, b, a], below) => [r, g, b].map((c, i) => c * a + below[i] * (1 - a)).concat(1);
  const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
  const behind = (node) => {
    const layers = [];
    for (const at of [node, ...ancestors(node)]) {
      const style = getComputedStyle(at);
      if (style.backgroundImage !== "none") return undefined;
      const colour = rgba(style.backgroundColor);
      if (colour[3] > 0) layers.push(colour);
      if (colour[3] >= 0.99) break;
    }
    return layers.reverse().reduce((below, above) => blend(above, below), rgba(isDark ? "#121212" : "#fff"));
  };
  const light = ([r, g, b]) => [r, g, b].map((c) => c / 255)
    .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const seen = new Set();
  const texts = document.createTreeWalker(front, NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    const node = text.parentElement;
    if (!text.data.trim() || seen.has(node) || !shown(node)) continue;
    seen.add(node);
    const paper = behind(node);
    if (!paper || node.closest(":disabled, [aria-disabled=true]")) continue;
    const style = getComputedStyle(node);
    const opacity = [node, ...ancestors(node)].reduce((all, one) => all * getComputedStyle(one).opacity, 1);
    const [r, g, b, a] = rgba(style.color);
    const [bright, dark] = [light(blend([r, g, b, a * opacity], paper)), light(paper)].sort((x, y) => y - x);
    const contrast = (bright + 0.05) / (dark + 0.05);
    const size = parseFloat(style.fontSize);
    const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    const wanted = (isLarge ? large : faint) - 0.05;
    if (contrast < wanted) flaws.push(`faint (${contrast.toFixed(2)}): ${named(node)}`);
  }
  return [...new Set(flaws)];
}"""
