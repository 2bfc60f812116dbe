/** Finds URLs in untrusted texts. */

type AddressPiece = { text: string; isAddress: boolean };

/** Excludes characters that reverse the writing direction, so that a URL shows where it leads. */
const addressPattern = /(https?:\/\/[^\s"'`<>\p{Cc}\p{Cf}]+)/iu;
const endCharacters: ReadonlySet<string> = new Set('.,;:!?)]}');

/** Splits the whole text. Punctuation after a URL is not part of it. */
export function splitAddresses(text: string): AddressPiece[] {
  return text.split(addressPattern).flatMap((piece, index) => {
    if (index % 2 === 0) return piece === '' ? [] : [{ text: piece, isAddress: false }];
    const length = measureAddress(piece);
    const [address, end] = [piece.slice(0, length), piece.slice(length)];
    if (!URL.canParse(address)) return [{ text: piece, isAddress: false }];
    return [{ text: address, isAddress: true }, ...(end === '' ? [] : [{ text: end, isAddress: false }])];
  });
}

/** Steps back from the end. An expression would start again at each character of a long run. */
function measureAddress(piece: string): number {
  let length = piece.length;
  while (length > 0 && endCharacters.has(piece[length - 1]!)) length--;
  return length;
}
