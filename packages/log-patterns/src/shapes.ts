/**
 * Merges lines of one shape that differ in paths, quoted texts, values after `=`, qualified names, encoded bytes or stack
 * traces. A place varies if many different values occur in it. Otherwise its value stays, because few values say what happened.
 */
import { isDecisiveWord } from './decisiveWords.ts';
import { hideKinds, joinKinds } from './placeholderKinds.ts';
import { wordsPlaceholder } from './templates.ts';
import { isMarkedPath } from './tokens.ts';

const named = '[\\p{L}\\p{N}_$@<>*\\uFDD0\\uFDD1-]+';
const places = [
  '(?<=Traceback \\(most recent call last\\): )File .*?(?= [\\w.]*(?:Error|Exception|Exit|Interrupt)\\b|$)', // Python
  // JavaScript, Java
  '(?<= )at (?:async |new )?(?:\\S+ ?\\([^()]*(?::<n>|Native Method|Unknown Source|<anonymous>)\\)|(?:file:|node:|\\/)\\S+:<n>).*$',
  '"(?:\\\\.|[^"\\\\])+(?="(?!\\s*:))', // key names stay
  "(?<=[\\s=(,:])'[^']+(?='(?![\\p{L}\\p{N}]))",
  '(?<=[\\s"\'=(\\[,]|^)(?:\\w+:\\/\\/|\\/)[^\\s"\'),;\\]]*', // addresses and paths
  '(?<=[\\p{L}\\p{N}_]=)[^\\s"\',;)&\\]]+',
  `(?<![\\p{L}\\p{N}_$@<>*-])${named}(?:(?:[.@$\\\\+/]|::)${named})+=*`, // modules, mail addresses, encoded bytes
];
const place = new RegExp(places.map(each => `(?:${each})`).join('|'), 'gu');

/** The value after one of these keys says what happened. */
const telling =
  /(?:^|[^\p{L}])(?:msg|message|error|err|level|severity|event|reason|type|kind|method|status|action|code|outcome)"?\s*[=:]\s*"?$/iu;
const request = /^"[A-Z]{3,7} /;

type Shaped = { index: number; texts: string[]; values: string[] };

/** Maps indexes of texts to their merged texts. A place varies if it has at least `valuesMin` different values. */
export function findShapes(texts: readonly string[], valuesMin: number): Map<number, string> {
  const shapes = new Map<string, Shaped[]>();
  for (const [index, text] of texts.entries()) {
    const shaped = shape(text, index);
    if (shaped.values.length === 0) continue;
    const key = shaped.texts.map(hideKinds).join('\u0002');
    const known = shapes.get(key);
    if (known === undefined) shapes.set(key, [shaped]);
    else known.push(shaped);
  }
  const found = new Map<number, string>();
  for (const members of shapes.values()) if (members.length >= valuesMin) fill(members, valuesMin, found);
  return found;
}

function fill(members: readonly Shaped[], valuesMin: number, found: Map<number, string>): void {
  const [{ values: places } = { values: [] }] = members;
  const varies = places.map((_, at) => new Set(members.map(({ values }) => values[at])).size >= valuesMin);
  if (!varies.includes(true)) return;
  const texts = members[0]!.texts.map((_, at) => joinKinds(members.map(each => each.texts[at]!)));
  for (const { index, values } of members) {
    const parts = values.map((value, at) => `${varies[at] ? wordsPlaceholder : value}${texts[at + 1]}`);
    found.set(index, `${texts[0]}${parts.join('')}`);
  }
}

/** Splits a text into fixed texts and the values between them. */
function shape(text: string, index: number): Shaped {
  const shaped: Shaped = { index, texts: [], values: [] };
  let end = 0;
  const take = (start: number, value: string) => {
    shaped.texts.push(text.slice(end, start));
    shaped.values.push(value);
    end = start + value.length;
  };
  for (const { index: start, 0: value } of text.matchAll(place)) {
    if (telling.test(text.slice(Math.max(0, start - 20), start))) continue;
    if (request.test(value)) takeTarget(value, start, take);
    else if (/^["']/.test(value)) takeKept(value.slice(1), start + 1, take);
    else takeKept(value, start, take);
  }
  shaped.texts.push(text.slice(end));
  return shaped;
}

type Take = (start: number, value: string) => void;

function takeKept(value: string, start: number, take: Take): void {
  if (isMarkedPath(value)) return;
  if (!isDecisiveWord(value) && !/^<(?:n|ip|time|uuid|mac|hex|id)>$/.test(value)) take(start, value);
}

/** Takes the target of a request: `/a` in `"GET /a HTTP/1.1`. */
function takeTarget(value: string, start: number, take: Take): void {
  const from = value.indexOf(' ') + 1;
  const to = value.indexOf(' ', from);
  const target = value.slice(from, to < 0 ? undefined : to);
  if (target !== '') take(start + from, target);
}
