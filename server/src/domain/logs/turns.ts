/** Turns of those who must not be at work under the same name at the same time. */

export type Turns = {
  /** Runs the work when nobody else is at work under the name. */
  take<T>(name: string, work: () => Promise<T>): Promise<T>;
  isTaken(name: string): boolean;
};

export function createTurns(): Turns {
  const underWay = new Map<string, Promise<unknown>>();
  return {
    async take(name, work) {
      for (let first = underWay.get(name); first; first = underWay.get(name)) await first.catch(() => {}); // told to its own caller
      const running = work();
      underWay.set(name, running);
      try {
        return await running;
      } finally {
        underWay.delete(name);
      }
    },
    isTaken: name => underWay.has(name),
  };
}
