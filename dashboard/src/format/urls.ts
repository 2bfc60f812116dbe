/** Finds URLs in texts that anybody may have written. */

type AddressPiece = { text: string; isAddress: boolean };

/** Without what turns the direction of reading: an address shows where it leads. */
const addressPattern = /(https?:\/\/[^\s"'`<>\p{Cc}\p{Cf}]+)/iu;
const endPattern = /[.,;:!?)\]}]+$/;

/** The whole text in pieces. Punctuation behind an address is not of it. */
export function splitAddresses(text: string): AddressPiece[] {
  return text.split(addressPattern).flatMap((piece, index) => {
    if (index % 2 === 0) return piece === '' ? [] : [{ text: piece, isAddress: false }];
    const end = endPattern.exec(piece)?.[0] ?? '';
    const address = piece.slice(0, piece.length - end.length);
    if (!URL.canParse(address)) return [{ text: piece, isAddress: false }];
    return [{ text: address, isAddress: true }, ...(end === '' ? [] : [{ text: end, isAddress: false }])];
  });
}
