/** Turns any name into a valid label name. */

const plainName = /^[a-zA-Z_][a-zA-Z0-9_]*$/;

const knownMax = 10_000;
const knownCharactersMax = 100;
const known = new Map<string, string>(); // lines mostly have the same names

/** Replaces invalid characters with `_`, and puts `_` before a leading digit. */
export function sanitizeName(name: string): string {
  const found = known.get(name);
  if (found !== undefined) return found;
  const plain = replaceInvalid(name);
  if (name.length > knownCharactersMax) return plain;
  if (known.size >= knownMax) known.clear();
  known.set(name, plain);
  return plain;
}

function replaceInvalid(name: string): string {
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
