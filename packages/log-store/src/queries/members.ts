/** Formats access to members of bodies. Bodies that are not JSON objects have none. */
import { type AskedMember, listDoubts, listMemberPaths } from '@tapedeck/log-query-language';
import type { Binder } from '../writer/engine/statements.ts';
import { joinAll, joinAny } from './textConditions.ts';

/** Formats the text of a member, `''` if it is absent, and whether it is present. Each path to it parses the body once. */
export function formatMember(key: string, binder: Binder): { value: string; isPresent: string } {
  const texts = listWays(key, binder).map(text => `if(${formatComposed(text)}, NULL, ${text})`);
  return {
    value: `coalesce(${texts.join(', ')}, '')`,
    isPresent: joinAny(texts.map(text => `(${text} IS NOT NULL)`)),
  };
}

function listWays(key: string, binder: Binder): string[] {
  return listMemberPaths(key).map(path => formatWay(path, binder));
}

/** Formats the text at a path, or NULL. */
function formatWay(path: readonly string[], binder: Binder): string {
  const keys = path.map(each => binder.bind('String', each)).join(', ');
  return `JSONExtract(${formatSource(path, binder)}, ${keys}, 'Nullable(String)')`;
}

/** A body usually has only one of several paths, so others are skipped if their longest key is missing. */
function formatSource(path: readonly string[], binder: Binder): string {
  if (!path.join('_').includes('_')) return 'body'; // the only path
  const longest = path.reduce((best, key) => (key.length > best.length ? key : best));
  return `if(position(body, ${binder.bind('String', `"${longest}"`)}) > 0, body, '')`;
}

/** Formats a condition: the text is an object or a list, or begins like one. */
function formatComposed(text: string): string {
  return `ifNull(substring(${text}, 1, 1) IN ('{', '['), 0)`;
}

/** Formats whether none of the members is in doubt. */
export function formatPlainMembers(members: readonly AskedMember[], binder: Binder): string {
  const ways = members.map(({ key }) => listWays(key, binder));
  const found = ways.flat().map(text => `${text} IS NOT NULL`);
  const apart = ways
    .filter(texts => texts.length > 1)
    .map(texts => `${texts.map(text => `(${text} IS NOT NULL)`).join(' + ')} <= 1`);
  return joinAll([
    joinAny([...found, "JSONType(body) = 'Object'"]), // a body with members is an object
    ...ways.flat().map(text => `NOT ${formatComposed(text)}`),
    ...apart,
    ...formatDoubts(members, binder).map(doubt => `NOT (${doubt})`),
  ]);
}

const literalsMax = 255; // the limit of multiSearchAny

/** Searches for literals first, which is faster than an expression. */
function formatDoubts(members: readonly AskedMember[], binder: Binder): string[] {
  const match = (expression: string) => `match(body, ${binder.bind('String', expression)})`;
  const unsearched = [];
  const doubts: string[] = [];
  const literals: string[] = [];
  for (const { expression, ...doubt } of listDoubts(members)) {
    if (doubt.literals !== null) {
      unsearched.push(expression);
      literals.push(...doubt.literals);
    } else if (doubt.twice !== null)
      doubts.push(
        `countSubstrings(body, ${binder.bind('String', doubt.twice)}) > 1 AND ${match(expression)}`,
      );
    else if (doubt.unquoted !== null)
      doubts.push(`${formatUnquoted(doubt.unquoted, binder)} AND ${match(expression)}`);
    else if (doubt.number !== null)
      doubts.push(`${formatNumeric(formatWay(doubt.number, binder))} AND ${match(expression)}`);
    else doubts.push(match(expression));
  }
  const any = match(unsearched.join('|'));
  const isFew = literals.length <= literalsMax;
  return [isFew ? `multiSearchAny(body, ${binder.bindTexts(literals)}) AND ${any}` : any, ...doubts];
}

/** Formats whether the text occurs anywhere except right after an unescaped quotation mark. */
function formatUnquoted(text: string, binder: Binder): string {
  const [plain, quoted, escaped] = [text, `"${text}`, `\\"${text}`].map(each => binder.bind('String', each));
  return `(countSubstrings(body, ${plain}) > countSubstrings(body, ${quoted}) OR position(body, ${escaped}) > 0)`;
}

/** Formats whether the text begins like a number. */
function formatNumeric(text: string): string {
  return `ifNull(${text} >= '0' AND ${text} < ':' OR startsWith(${text}, '-'), 0)`;
}
