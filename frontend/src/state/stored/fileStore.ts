// Browser storage for values too large for localStore.ts.
//
// Lives here: reading and writing IndexedDB, which may be refused or full.
// Lives elsewhere: what is stored (files.ts).

const BASE = "voxpilot";
const STORE = "large";
/** How long the browser may take to open it; some never do. */
const PATIENCE_MS = 5_000;

/** False if the browser refused to store it. */
export async function rememberLarge(name: string, value: unknown): Promise<boolean> {
  return act("readwrite", (store) => store.put(value, name)).then(
    () => true,
    () => false,
  );
}

/** Undefined if nothing is stored under that name; fails if the browser cannot read. */
export async function recallLarge(name: string): Promise<unknown> {
  return act("readonly", (store) => store.get(name));
}

export async function forgetLarge(name: string): Promise<void> {
  await act("readwrite", (store) => store.delete(name)).catch(() => undefined);
}

export async function largeNames(): Promise<string[]> {
  return act("readonly", (store) => store.getAllKeys() as IDBRequest<string[]>).catch(() => []);
}

/** Resolves when the transaction is complete. */
async function act<T>(mode: IDBTransactionMode, ask: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  const base = await opened();
  try {
    return await new Promise((resolve, reject) => {
      const step = base.transaction(STORE, mode);
      const asked = ask(step.objectStore(STORE));
      step.oncomplete = () => resolve(asked.result);
      step.onabort = () => reject(step.error ?? new Error("The browser cancelled the request."));
    });
  } finally {
    base.close();
  }
}

/** Opened again each time: the browser may close an open connection at any time. */
function opened(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const asked = indexedDB.open(BASE, 1);
    asked.onupgradeneeded = () => asked.result.createObjectStore(STORE);
    const patience = setTimeout(() => {
      asked.onsuccess = () => asked.result.close();
      reject(new Error("The browser’s storage is not responding."));
    }, PATIENCE_MS);
    asked.onsuccess = () => {
      clearTimeout(patience);
      resolve(asked.result);
    };
    asked.onerror = () => {
      clearTimeout(patience);
      reject(asked.error ?? new Error("The browser’s storage is not available."));
    };
  });
}
