/** Checks whether a text contains several parts one after the other. It compares them as they are, without folding case. */

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

/** The first part begins the text, and the last one ends it. */
export function matchesParts(text: string, parts: readonly string[]): boolean {
  const [first = '', last = ''] = [parts[0], parts.at(-1)];
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last))
    return false;
  return holdsParts(text.slice(first.length, text.length - last.length), parts.slice(1, -1));
}

/** Texts, and null for something between them that is not empty. Each text is taken where it comes first. */
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
