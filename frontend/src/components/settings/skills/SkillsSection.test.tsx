import { render } from "solid-js/web";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { fakeApi, refusing, type Asked } from "../../../api/fetch.fake";
import type { Skill } from "../../../state";
import { visibleText } from "../../question/content/visibleText";
import { SkillsSection } from "./SkillsSection";

const place = document.createElement("div");
const HOSTILE = "<img src=x onerror=alert(1)>\u202e";
let dispose: () => void;
let asked: Asked[];
let skills: Skill[];
let isBroken: boolean;

const skill = (id: string, more: Partial<Skill> = {}): Skill => ({
  id, name: id, description: "", path: `/w/copilot-skills/${id}.md`, source: "workspace", always_active: false, tags: [], bytes: 100, problem: null, ...more,
});
const list = () => ({
  folder: "/w/copilot-skills", exists: true, personal_folder: "/p", skills, index_bytes: 10, always_bytes: 0, budget_bytes: 1000, left_out: [{ what: "c", why: "no room" }],
});
const rows = () => [...place.querySelectorAll<HTMLElement>("[data-testid=skill]")];
const shownSwitch = (row: HTMLElement) => row.querySelector<HTMLInputElement>("[role=switch]")!;

beforeEach(() => {
  isBroken = false;
  vi.stubGlobal("ResizeObserver", class { observe() {} disconnect() {} });
  HTMLDialogElement.prototype.showModal = () => undefined;
  asked = fakeApi(({ method, path, body }) => {
    if (isBroken && path !== "/api/settings") return refusing(409, "broken", "The folder cannot be read.", "Check it.");
    if (path === "/api/settings") return Response.json({ values: { work_dir: "/w", acpSkillsFolderPath: "copilot-skills" }, decided_elsewhere: [] });
    if (path.startsWith("/api/skills/text")) return Response.json({ text: `# Title\n<script>x</script> ${HOSTILE}`, is_cut: false });
    if (method === "PUT") {
      const { id, on } = body as { id: string; on: boolean };
      skills = skills.map((one) => (one.id === id ? { ...one, always_active: on } : one));
    }
    return Response.json(list());
  });
  document.body.append(place);
});

afterEach(() => {
  dispose();
  place.remove();
  delete (HTMLDialogElement.prototype as Partial<HTMLDialogElement>).showModal;
});

async function open(given: Skill[]) {
  skills = given;
  dispose = render(() => <SkillsSection />, place);
  // A list of an earlier test may be shown first.
  const name = visibleText(given[0]!.name);
  await vi.waitUntil(() => place.querySelector(".skill-name")?.textContent === name, { timeout: 5_000 });
}

test("of 10,000 skills those in view are drawn, and each can be found", async () => {
  await open(Array.from({ length: 10_000 }, (_, at) => skill(`skill-${at}`)));
  expect(rows().length).toBeLessThan(30);
  expect(place.querySelector("[aria-setsize]")?.getAttribute("aria-setsize")).toBe("10000");
  const box = place.querySelector<HTMLElement>(".windowed")!;
  box.scrollTop = 5000 * 84;
  box.dispatchEvent(new Event("scroll"));
  expect(rows().some((row) => row.textContent?.includes("skill-5000"))).toBe(true);
  const filter = place.querySelector<HTMLInputElement>("input[type=search]")!;
  filter.value = "skill-9999";
  filter.dispatchEvent(new InputEvent("input", { bubbles: true }));
  expect(rows().map((row) => row.querySelector(".skill-name")?.textContent)).toEqual(["skill-9999"]);
  expect(place.querySelector("[role=status].small")?.textContent).toBe("1 of 10,000 skills");
});

test("names and texts of skills are data", async () => {
  await open([skill("a", { name: HOSTILE, description: HOSTILE, tags: [HOSTILE], problem: null })]);
  expect(rows()[0]!.querySelector("img")).toBe(null);
  expect(rows()[0]!.querySelector(".skill-name")!.textContent).toBe("<img src=x onerror=alert(1)>⟨U+202E⟩");
  rows()[0]!.querySelector("button")!.click();
  await vi.waitUntil(() => place.querySelector(".skill-text"));
  expect(place.querySelector(".skill-text")!.textContent).toContain("<script>x</script> <img src=x onerror=alert(1)>⟨U+202E⟩");
  expect(place.querySelector(".skill-text")!.children.length).toBe(0);
});

test("a switch is stored, and goes back if it cannot be", async () => {
  await open([skill("a"), skill("b")]);
  shownSwitch(rows()[0]!).focus();
  shownSwitch(rows()[0]!).click();
  await vi.waitUntil(() => asked.some(({ method }) => method === "PUT"));
  expect(asked.find(({ method }) => method === "PUT")?.body).toEqual({ workspace: "/w", id: "a", on: true });
  await vi.waitUntil(() => shownSwitch(rows()[0]!).checked && shownSwitch(rows()[0]!).ariaDisabled !== "true");
  expect(document.activeElement).toBe(shownSwitch(rows()[0]!));
  isBroken = true;
  shownSwitch(rows()[1]!).click();
  await vi.waitUntil(() => place.querySelector("[role=alert]"));
  expect(shownSwitch(rows()[1]!).checked).toBe(false);
  expect(place.querySelector("[role=alert]")!.textContent).toBe("The folder cannot be read. Check it.");
});
