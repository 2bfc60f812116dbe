/** What is made when it is first asked for, and kept: most services never show a page, and the first one waits some milliseconds. */
export function rememberFirst<T extends object>(make: () => T): () => T {
  let made: T | null = null;
  return () => {
    made ??= make();
    return made;
  };
}
