/** Texts that parsers find. */

const replacementCharacter = '\ufffd'; // replaces invalid UTF-8

export function isBroken(text: string): boolean {
  return text.includes(replacementCharacter);
}

/** As in Loki, labels have a blank in place of invalid UTF-8. */
export function replaceBroken(text: string): string {
  return isBroken(text) ? text.replaceAll(replacementCharacter, ' ') : text;
}
