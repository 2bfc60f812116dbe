/** Runs work under the same name one after another. */

export type Turns = {
  /** Runs the work when no other work under the name is running. */
  take<T>(name: string, work: () => Promise<T>): Promise<T>;
  isTaken(name: string): boolean;
};

export function createTurns(): Turns {
  const underWay = new Map<string, Promise<unknown>>();
  return {
    async take(name, work) {
      // An error of the work before goes to the caller of that work.
      for (let first = underWay.get(name); first; first = underWay.get(name)) await first.catch(() => {});
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
