/** Removes accidental differences between templates: the end of long, cut lines, and addresses mistaken for words. */
import { wordsPlaceholder } from './templates.ts';
import { splitTemplate } from './tokens.ts';

const cut = '…';
const cutLengthMin = 300;
const keptShare = 7 / 8;
const keptStep = 4;

const group = '(?:<(?:id|n|hex)>[a-f]{0,3}|[0-9a-f]{1,4})';
/** Matches IPv6 addresses whose groups begin with letters: they do not become `<ip>` (README.md). */
const address = new RegExp(`(?<![\\w:>])(?:${group}:){1,6}:(?:${group}:){0,6}${group}(?![\\w<])`, 'g');

export function normalise(template: string): string {
  const text = template.includes('::') ? template.replaceAll(address, wordsPlaceholder) : template;
  return text.endsWith(cut) && text.length >= cutLengthMin ? shorten(text) : text;
}

/** Keeps only the first words: lines with longer names were cut after fewer words. */
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
