/** Takes from templates what differs by chance: where a long line was cut, and addresses that were taken for words. */
import { wordsPlaceholder } from './templates.ts';
import { splitTemplate } from './tokens.ts';

const cut = '…';
const cutLengthMin = 300;
const keptShare = 7 / 8;
const keptStep = 4;

const group = '(?:<(?:id|n|hex)>[a-f]{0,3}|[0-9a-f]{1,4})';
/** IPv6 addresses whose groups begin with letters are no `<ip>` (README.md). */
const address = new RegExp(`(?<![\\w:>])(?:${group}:){1,6}:(?:${group}:){0,6}${group}(?![\\w<])`, 'g');

export function normalise(template: string): string {
  const text = template.includes('::') ? template.replaceAll(address, wordsPlaceholder) : template;
  return text.endsWith(cut) && text.length >= cutLengthMin ? shorten(text) : text;
}

/** Lines with longer names are cut earlier. */
function shorten(text: string): string {
  const { tokens } = splitTemplate(text);
  const words = tokens.filter(each => each.isWord).length;
  const kept = Math.floor((words * keptShare) / keptStep) * keptStep;
  let seen = 0;
  let short = '';
  for (const each of tokens) {
    if (each.isWord && ++seen > kept) break;
    short += each.text;
  }
  return `${short}${wordsPlaceholder}`;
}
