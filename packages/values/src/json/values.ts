/** Handles JSON objects and their leaves, and the UTF-8 length of texts. */

const utf8BytesPerUnitMax = 3;

/** Returns whether the text takes more bytes. Counts only if its length leaves doubt, so that a huge text costs nothing. */
export function isLonger(text: string, bytesMax: number): boolean {
  if (text.length > bytesMax) return true; // each unit takes at least one byte
  return text.length * utf8BytesPerUnitMax > bytesMax && Buffer.byteLength(text) > bytesMax;
}

/** Cuts a text to at most this many bytes, between characters. */
export function cutText(text: string, bytesMax: number): string {
  if (!isLonger(text, bytesMax)) return text;
  const bytes = Buffer.from(text.slice(0, bytesMax + 1)); // plus one unit, in case it is the second half of a surrogate pair
  let end = bytesMax;
  // Bytes of the form 10xxxxxx continue a character.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.toString('utf8', 0, end);
}

export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Lists every leaf as text with its dotted path: `pos.x`, `items.0.name`. */
export function listLeaves(object: JsonObject): [path: string, text: string][] {
  const leaves: [string, string][] = [];
  const visit = (path: string, value: unknown): void => {
    if (value !== null && typeof value === 'object') {
      for (const [key, inner] of Object.entries(value)) visit(path === '' ? key : `${path}.${key}`, inner);
    } else leaves.push([path, String(value)]);
  };
  visit('', object);
  return leaves;
}
