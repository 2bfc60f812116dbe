/** Turns any name into a valid label name. */

const plainName = /^[a-zA-Z_][a-zA-Z0-9_]*$/;

/** Replaces invalid characters with `_`, and puts `_` before a leading digit. */
export function sanitizeName(name: string): string {
  if (plainName.test(name)) return name;
  const plain = name.replaceAll(/[^a-zA-Z0-9_]/gu, '_');
  return /^\d/.test(plain) ? `_${plain}` : plain;
}

/** Returns the first repeated name. */
export function findTwice(names: readonly string[]): string | undefined {
  const known = new Set<string>();
  for (const name of names) {
    if (known.has(name)) return name;
    known.add(name);
  }
  return undefined;
}
