// Files, skills and instructions for the scenes about them, in place of the server's answers.

import type { ContextInEffect, FoundFiles, Skill, SkillList } from "../src/state";
import { draft } from "../src/state/stored/drafts";
import { scene } from "./scenes";

const { name } = scene;
const WORKSPACE = "/home/ada/projects/shop";
const forever = () => new Promise<never>(() => undefined);
const fail = (message: string) => Promise.reject(Object.assign(new Error(message), { hint: "Try again in a moment." }));

const file = (path: string, more: object = {}) => ({ path, folder: false, changed: false, recent: false, ...more });
const FILES = [
  file("shop/auth/sessions.py", { changed: true, recent: true }),
  file("tests/test_sessions.py", { changed: true, recent: true }),
  file("shop/auth", { folder: true }),
  file("shop/auth/__init__.py", { recent: true }),
  file("docs/a-folder-with-a-rather-long-name/another-one-below-it/a-file-with-a-name-that-does-not-end-anywhere-soon.md"),
  file("evil\u202egnp.<img src=x onerror=alert(1)>.py"),
  file("docs/sessions.md"),
];

export async function searchFiles(_workspace: string, q: string): Promise<FoundFiles> {
  if (name === "mention-loading") return forever();
  if (name === "mention-error") return fail("The folder /home/ada/projects/shop does not exist.");
  const files = name === "mention-none" ? [] : FILES.filter(({ path }) => path.toLowerCase().includes(q.toLowerCase()));
  return { files, total: files.length + (q ? 0 : 99_214), is_complete: q !== "" };
}

const skill = (id: string, description: string, more: Partial<Skill> = {}): Skill => ({
  id, name: id, description, path: `${WORKSPACE}/copilot-skills/${id}/SKILL.md`, source: "workspace", always_active: false, tags: [], bytes: 2140, problem: null, ...more,
});
const SKILLS = [
  skill("deploy", "How to deploy the shop: build, tag, push, watch the dashboards, roll back", { tags: ["release", "ops"] }),
  skill("house-style", "How code and texts are written here", { always_active: true, bytes: 5400 }),
  skill("postgres", "Migrations, indexes and slow queries", { tags: ["database", "sql", "migrations", "performance", "more"], source: "personal" }),
  skill("broken", "", { problem: "The front matter is not valid YAML (line 3). The first heading is used instead.", bytes: 120 }),
  skill("<script>alert(1)</script>\u202e", "A name with <b>markup</b> and a character that turns text around", { bytes: 3 }),
  skill("long", "A description that goes into every detail although a list has room for one line only, and which therefore ends with three dots", { bytes: 64_000, tags: ["a-tag-with-a-very-long-name-that-needs-more-room"] }),
];
const many = () => Array.from({ length: 10_000 }, (_, at) => skill(`skill-${at}`, `What to do in case ${at}`, { bytes: 100 + at }));

const list = (skills: Skill[], more: Partial<SkillList> = {}): SkillList => ({
  folder: `${WORKSPACE}/copilot-skills`, exists: true, personal_folder: "/home/ada/.config/voxpilot/skills", skills,
  index_bytes: 1240, always_bytes: 5400, budget_bytes: 32_000, left_out: [], ...more,
});

export async function fetchSkills(): Promise<SkillList> {
  if (name.endsWith("skills-loading")) return forever();
  if (name.endsWith("skills-error")) return fail("The workspace could not be read.");
  if (name.endsWith("skills-none")) return list([], { exists: false, index_bytes: 0, always_bytes: 0 });
  if (name.endsWith("skills-many")) {
    const left_out = many().slice(400).map((one) => ({ what: one.name, why: "the list of skills is full (16 kB)" }));
    return list(many(), { index_bytes: 16_000, always_bytes: 15_900, left_out });
  }
  return list(SKILLS);
}
export const knownSkills = () => undefined;
export const setAlways = async (_workspace: string, id: string, on: boolean) => list(SKILLS.map((one) => (one.id === id ? { ...one, always_active: on } : one)));
export const noticeSkills = () => undefined;
export const skillsRevision = () => 0;
export const readSkill = async () => ({
  text: "---\nname: deploy\ntags: [release, ops]\n---\n# Deploy the shop\n\n1. Run `make release`.\n2. <script>alert(1)</script> stays text.\n3. Watch the dashboards for ten minutes.\n",
  is_cut: true,
});
export const suggestSkills = async () =>
  name === "suggested" ? [{ id: "deploy", name: "deploy", why: ["matches “deploy”", "matches “shop” in its description"] }, { id: "postgres", name: "postgres", why: ["matches “migration” in its tags"] }] : [];

const IN_EFFECT: ContextInEffect = {
  skills_folder: `${WORKSPACE}/copilot-skills`, skills: 6, always: ["house-style"],
  instructions: [
    { source: "personal", path: null, bytes: 840, applies: "both" },
    { source: "AGENTS.md", path: `${WORKSPACE}/AGENTS.md`, bytes: 4210, applies: "assistant" },
  ],
  left_out: [{ what: "VOXPILOT.md", why: "larger than 32 kB" }],
};
const NO_CONTEXT: ContextInEffect = { skills_folder: `${WORKSPACE}/copilot-skills`, skills: 0, always: [], instructions: [], left_out: [] };
export const readContext = async () => (name === "context-error" ? fail("The server is not responding.") : name === "empty" ? NO_CONTEXT : IN_EFFECT);

const DRAFTS: { [scene: string]: string } = {
  mention: "Why does @sess", "mention-none": "Look at @nothing-like-this", "mention-loading": "Look at @sess", "mention-error": "Look at @sess",
  commands: "/", suggested: "Please deploy the shop after the migration",
};
const CHIPS = [
  { type: "file", path: "shop/auth/sessions.py", lines: [10, 20] },
  { type: "file", path: "docs/a-folder-with-a-rather-long-name/another-one-below-it/a-file-with-a-name-that-does-not-end-anywhere-soon.md" },
  { type: "folder", path: "shop/auth" },
  { type: "diff" },
  { type: "chat", id: "a2", title: "Sort out the payment retries" },
  { type: "quote", text: "A session that is renewed must not live longer than a new one.", source: "https://cheatsheetseries.owasp.org/cheatsheets/Session_Management_Cheat_Sheet.html" },
  { type: "skill", id: "deploy", name: "deploy" },
  { type: "file", path: "evil\u202egnp.<b>x</b>.py" },
];
const shown = draft(name === "new" ? "new" : "a1");
if (name in DRAFTS || name === "chips") {
  shown.clear();
  shown.set(DRAFTS[name] ?? "Compare these.");
  if (name === "chips") void shown.attach(CHIPS);
}
