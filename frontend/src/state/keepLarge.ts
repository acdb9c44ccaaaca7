// What this browser keeps that is too large for keep.ts.
//
// Lives here: reading and writing IndexedDB, which may be refused or full.
// Lives elsewhere: what is kept there (files.ts).

const BASE = "voxpilot";
const STORE = "large";
/** How long the browser may take to open it; some never answer. */
const PATIENCE_MS = 5_000;

/** False when the browser would not take it. */
export async function rememberLarge(name: string, value: unknown): Promise<boolean> {
  return act("readwrite", (store) => store.put(value, name)).then(
    () => true,
    () => false,
  );
}

/** Undefined where there is nothing of that name; fails where the browser cannot read. */
export async function recallLarge(name: string): Promise<unknown> {
  return act("readonly", (store) => store.get(name));
}

export async function forgetLarge(name: string): Promise<void> {
  await act("readwrite", (store) => store.delete(name)).catch(() => undefined);
}

export async function largeNames(): Promise<string[]> {
  return act("readonly", (store) => store.getAllKeys() as IDBRequest<string[]>).catch(() => []);
}

/** Done when it is stored, not when it was asked for. */
async function act<T>(mode: IDBTransactionMode, ask: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  const base = await opened();
  try {
    return await new Promise((resolve, reject) => {
      const step = base.transaction(STORE, mode);
      const asked = ask(step.objectStore(STORE));
      step.oncomplete = () => resolve(asked.result);
      step.onabort = () => reject(step.error ?? new Error("The browser gave up."));
    });
  } finally {
    base.close();
  }
}

/** Each time anew: a connection that is kept may be closed by the browser at any time. */
function opened(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const asked = indexedDB.open(BASE, 1);
    asked.onupgradeneeded = () => asked.result.createObjectStore(STORE);
    const patience = setTimeout(() => {
      asked.onsuccess = () => asked.result.close();
      reject(new Error("The browser does not answer."));
    }, PATIENCE_MS);
    asked.onsuccess = () => {
      clearTimeout(patience);
      resolve(asked.result);
    };
    asked.onerror = () => {
      clearTimeout(patience);
      reject(asked.error ?? new Error("The browser stores nothing."));
    };
  });
}
