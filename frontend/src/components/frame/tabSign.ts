// The tab's title and icon: how many chats need you, visible from other tabs.

import { createEffect } from "solid-js";

const SIZE = 64;

/** Keeps the tab up to date while the calling component lives. */
export function showInTab(needsYou: () => number, title: () => string): void {
  createEffect(() => {
    const count = needsYou();
    document.title = `${count > 0 ? `(${count}) ` : ""}${title()}`;
  });
  createEffect(() => drawPicture(needsYou()));
}

let drawn = -1;

function drawPicture(count: number): void {
  if (count === drawn) return;
  drawn = count;
  const link = pictureLink();
  const picture = count > 0 ? withCount(count) : null;
  link.type = picture ? "image/png" : "image/svg+xml";
  link.href = picture ?? "/icon.svg";
}

function pictureLink(): HTMLLinkElement {
  const found = document.querySelector<HTMLLinkElement>("link[rel=icon]");
  if (found) return found;
  const link = document.createElement("link");
  link.rel = "icon";
  document.head.append(link);
  return link;
}

function withCount(count: number): string | null {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = SIZE;
  const pen = canvas.getContext("2d");
  if (!pen) return null;
  pen.fillStyle = "#3454c8";
  pen.beginPath();
  pen.roundRect(0, 0, SIZE, SIZE, 16);
  pen.fill();
  pen.strokeStyle = "#fff";
  pen.lineWidth = 6;
  pen.lineCap = pen.lineJoin = "round";
  pen.stroke(new Path2D("M15 19 29.5 46 44 19"));
  pen.fillStyle = "#ffb020";
  pen.beginPath();
  pen.arc(45, 45, 19, 0, Math.PI * 2);
  pen.fill();
  pen.fillStyle = "#1d1e20";
  pen.font = "bold 28px system-ui, sans-serif";
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  pen.fillText(count > 9 ? "9+" : String(count), 45, 47);
  return canvas.toDataURL("image/png");
}

