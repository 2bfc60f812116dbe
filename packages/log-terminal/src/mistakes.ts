/** Shows where in a line a mistake is. */
import { cleanText } from './terminalColours.ts';

const wide =
  /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}]/u;
const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Returns the text, and below it a caret at the position, in UTF-16 units from zero. */
export function pointAt(text: string, position: number): string {
  const shown = (part: string) => cleanText(part).replaceAll(/[\n\t]/g, ' ');
  const columns = measureWidth(shown(text.slice(0, position)));
  return `  ${shown(text)}\n  ${' '.repeat(columns)}^`;
}

/** In terminal columns. */
function measureWidth(text: string): number {
  let columns = 0;
  for (const { segment } of graphemes.segment(text)) columns += wide.test(segment) ? 2 : 1;
  return columns;
}
