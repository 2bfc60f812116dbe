/** A keyed mutex: work with the same key runs one after another. */

export type KeyedMutex = {
  /** Runs the work when no other work with the key is running. */
  runExclusive<T>(key: string, work: () => Promise<T>): Promise<T>;
  isHeld(key: string): boolean;
};

export function createKeyedMutex(): KeyedMutex {
  const underWay = new Map<string, Promise<unknown>>();
  return {
    async runExclusive(key, work) {
      // The caller of the earlier work handles its error.
      for (let first = underWay.get(key); first; first = underWay.get(key)) await first.catch(() => {});
      const running = work();
      underWay.set(key, running);
      try {
        return await running;
      } finally {
        underWay.delete(key);
      }
    },
    isHeld: key => underWay.has(key),
  };
}
