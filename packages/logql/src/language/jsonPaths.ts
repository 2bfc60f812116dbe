/** Paths into JSON, as the parser `json` takes them: `user.roles[0]["first name"]`. */
import { parseMistake } from '../mistakes.ts';
import { unquote } from './quotes.ts';

/** Keys of objects are texts, places in lists numbers. */
export type JsonPath = readonly (string | number)[];

const step = /\.?([\p{L}_][\p{L}\p{Nd}_]*)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/uy;

export function parseJsonPath(text: string): JsonPath {
  const path: (string | number)[] = [];
  step.lastIndex = 0;
  while (step.lastIndex < text.length) {
    const start = step.lastIndex;
    const found = step.exec(text);
    const isFirst = path.length === 0;
    if (found === null || (isFirst && found[0].startsWith('.')) || (!isFirst && /^[^.[]/.test(found[0])))
      throw parseMistake(`cannot parse expression [${text}]: unexpected sign at ${start}`);
    const [, name, place, quoted] = found;
    path.push(name ?? (place === undefined ? (unquote(quoted ?? '""') ?? '') : Number(place)));
  }
  if (path.length === 0) throw parseMistake(`cannot parse expression [${text}]: it is empty`);
  return path;
}
