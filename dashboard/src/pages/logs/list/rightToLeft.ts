/** Tells which end of a row's text is cut off. */

/** Hebrew, Arabic, Syriac, Thaana and NKo. */
const rightToLeft = /^\P{L}*[\u0590-\u08ff]/u;

/** Reads the first letter, as browsers do. */
export function beginsAtRight(text: string): boolean {
  return rightToLeft.test(text);
}
