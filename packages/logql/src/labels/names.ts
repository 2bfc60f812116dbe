/** Names that labels can have, and what becomes of others. */

const plainName = /^[a-zA-Z_][a-zA-Z0-9_]*$/;

/** Every character that no label may have is `_`; a digit at the front gets one before it. */
export function sanitizeName(name: string): string {
  if (plainName.test(name)) return name;
  const plain = name.replaceAll(/[^a-zA-Z0-9_]/gu, '_');
  return /^\d/.test(plain) ? `_${plain}` : plain;
}

/** The first name that has been there before. */
export function findTwice(names: readonly string[]): string | undefined {
  const known = new Set<string>();
  for (const name of names) {
    if (known.has(name)) return name;
    known.add(name);
  }
  return undefined;
}
