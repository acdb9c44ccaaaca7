// A browser's IndexedDB for tests, as far as fileStore.ts uses it.

import { vi } from "vitest";

interface FakeLarge {
  readonly kept: Map<string, unknown>;
  /** Refuse to store, like a full or private browser. */
  isRefusing: boolean;
  /** Never respond. */
  isSilent: boolean;
}

/** Replaces it until the test ends; it outlives the pages that a test loads. */
export function fakeLarge(): FakeLarge {
  const fake: FakeLarge = { kept: new Map(), isRefusing: false, isSilent: false };
  const soon = (act: () => void) => void Promise.resolve().then(act);
  const store = {
    put: (value: unknown, name: string) => {
      if (!fake.isRefusing) fake.kept.set(name, structuredClone(value));
      return { result: name };
    },
    get: (name: string) => ({ result: structuredClone(fake.kept.get(name)) }),
    delete: (name: string) => ({ result: fake.kept.delete(name) && undefined }),
    getAllKeys: () => ({ result: [...fake.kept.keys()] }),
  };
  const base = {
    transaction: () => {
      const step = { objectStore: () => store, error: null, oncomplete: () => undefined, onabort: () => undefined };
      soon(() => (fake.isRefusing ? step.onabort() : step.oncomplete()));
      return step;
    },
    close: () => undefined,
  };
  const open = () => {
    const asked = { result: base, onsuccess: () => undefined };
    if (!fake.isSilent) soon(() => asked.onsuccess());
    return asked;
  };
  vi.stubGlobal("indexedDB", { open });
  return fake;
}
