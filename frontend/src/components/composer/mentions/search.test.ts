import { createRoot, createSignal } from "solid-js";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import type { FoundFiles } from "../../../state";
import { createFileSearch, type FileQuery, type FileSearch } from "./search";

interface Asked {
  q: string;
  answer: (...paths: string[]) => Promise<void>;
  fail: () => Promise<void>;
}
let asked: Asked[];
let dispose: () => void;
let state: () => FileSearch;
let setQuery: (query: FileQuery | undefined) => void;

const found = (...paths: string[]): FoundFiles => ({
  files: paths.map((path) => ({ path, folder: false, changed: false, recent: false })),
  total: paths.length,
  is_complete: true,
});
const shown = () => state().found?.files.map(({ path }) => path);
const type = (q: string) => {
  setQuery({ workspace: "/w", q });
  vi.advanceTimersByTime(100);
};

beforeEach(() => {
  vi.useFakeTimers();
  asked = [];
  const search = (_workspace: string, q: string) =>
    new Promise<FoundFiles>((resolve, reject) => {
      const settled = async (act: () => void) => {
        act();
        await vi.advanceTimersByTimeAsync(0);
      };
      asked.push({ q, answer: (...paths) => settled(() => resolve(found(...paths))), fail: () => settled(() => reject(new Error("No such folder."))) });
    });
  createRoot((end) => {
    dispose = end;
    const [query, set] = createSignal<FileQuery>();
    setQuery = set;
    state = createFileSearch(query, search);
  });
});

afterEach(() => {
  dispose();
  vi.useRealTimers();
});

test("the last result stays until the next one is there", async () => {
  type("a");
  expect([state().isLoading, shown()]).toEqual([true, undefined]);
  await asked[0]!.answer("a.py");
  expect([state().isLoading, shown()]).toEqual([false, ["a.py"]]);
  type("ab");
  expect([state().isLoading, shown()]).toEqual([true, ["a.py"]]);
  await asked[1]!.answer("ab.py");
  expect([state().isLoading, shown(), state().q]).toEqual([false, ["ab.py"], "ab"]);
});

test("an answer to earlier words is ignored, whenever it arrives", async () => {
  type("a");
  type("ab");
  await asked[1]!.answer("ab.py");
  await asked[0]!.answer("a.py");
  expect(shown()).toEqual(["ab.py"]);
  type("abc");
  type("abcd");
  await asked[2]!.fail();
  expect([state().problem, state().isLoading, shown()]).toEqual(["", true, ["ab.py"]]);
});

test("the words of a fast typist are one search", () => {
  setQuery({ workspace: "/w", q: "a" });
  for (const q of ["ab", "abc", "abcd"]) setQuery({ workspace: "/w", q });
  vi.advanceTimersByTime(100);
  expect(asked.map(({ q }) => q)).toEqual(["a", "abcd"]);
});

test("an error is shown instead of an old result, and the next search replaces it", async () => {
  type("a");
  await asked[0]!.answer("a.py");
  type("ab");
  await asked[1]!.fail();
  expect([state().problem, shown()]).toEqual(["No such folder.", undefined]);
  type("abc");
  await asked[2]!.answer("abc.py");
  expect([state().problem, shown()]).toEqual(["", ["abc.py"]]);
});

test("nothing is left when the list is closed", async () => {
  type("a");
  setQuery(undefined);
  await asked[0]!.answer("a.py");
  expect(state()).toEqual({ found: undefined, q: "", isLoading: false, problem: "" });
});
