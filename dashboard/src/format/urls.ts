/** Finds URLs in untrusted texts. */

type AddressPiece = { text: string; isAddress: boolean };

/** Excludes characters that reverse the writing direction, so that a URL shows where it leads. */
const addressPattern = /(https?:\/\/[^\s"'`<>\p{Cc}\p{Cf}]+)/iu;
const endPattern = /[.,;:!?)\]}]+$/;

/** Splits the whole text. Punctuation after a URL is not part of it. */
export function splitAddresses(text: string): AddressPiece[] {
  return text.split(addressPattern).flatMap((piece, index) => {
    if (index % 2 === 0) return piece === '' ? [] : [{ text: piece, isAddress: false }];
    const end = endPattern.exec(piece)?.[0] ?? '';
    const address = piece.slice(0, piece.length - end.length);
    if (!URL.canParse(address)) return [{ text: piece, isAddress: false }];
    return [{ text: address, isAddress: true }, ...(end === '' ? [] : [{ text: end, isAddress: false }])];
  });
}
