/** Computes a value on first use and keeps it: most services never show a page. A failed attempt is repeated next time. */
export function computeOnce<T extends object>(make: () => T): () => T {
  let made: T | null = null;
  const forget = () => {
    made = null;
  };
  return () => {
    if (made !== null) return made;
    made = make();
    if (made instanceof Promise) made.catch(forget);
    return made;
  };
}
