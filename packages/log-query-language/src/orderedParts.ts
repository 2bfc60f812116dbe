/** Checks whether a text contains several parts one after the other. Letter case counts. */

/** Whether the parts occur in this order, with anything around and between them. */
export function holdsParts(text: string, parts: readonly string[]): boolean {
  let position = 0;
  for (const part of parts) {
    const found = text.indexOf(part, position);
    if (found < 0) return false;
    position = found + part.length;
  }
  return true;
}

/** Like `holdsParts`, but the text begins with the first part and ends with the last. */
export function matchesParts(text: string, parts: readonly string[]): boolean {
  const [first = '', last = ''] = [parts[0], parts.at(-1)];
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last))
    return false;
  return holdsParts(text.slice(first.length, text.length - last.length), parts.slice(1, -1));
}

/** Matches texts in order; null stands for any text that is not empty. Each text matches at its first occurrence. */
export function matchesPieces(text: string, pieces: readonly (string | null)[]): boolean {
  if (text === '' || pieces.length === 0) return text === '' && pieces.length === 0;
  let end = 0;
  for (const [index, piece] of pieces.entries()) {
    if (piece === null) continue;
    const found = text.indexOf(piece, end);
    if (found < 0 || (index > 0 && found === end)) return false;
    end = found + piece.length;
  }
  return (pieces.at(-1) === null) === end < text.length;
}
