/** Values kept in this browser. Nothing is kept if it forbids storage. */

/** Returns null if nothing is stored under the key. */
export function readStored(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Null removes the value. */
export function store(key: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    // Forbidden or full.
  }
}

/** Returns an empty list if the value is missing, or from another version. */
export function readStoredList(key: string): unknown[] {
  try {
    const list: unknown = JSON.parse(readStored(key) ?? '[]');
    return Array.isArray(list) ? list : [];
  } catch {
    return [];
  }
}

export function storeList(key: string, list: readonly unknown[]): void {
  store(key, list.length === 0 ? null : JSON.stringify(list));
}
