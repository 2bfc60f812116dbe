/**
 * What is made when it is first asked for, and kept: most services never show a page, and the first one waits some milliseconds.
 * What could not be made is tried again.
 */
export function rememberFirst<T extends object>(make: () => T): () => T {
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
