/** Formats access to pairs of bodies in logfmt, such as `level=info`. */
import { findOtherSpellings, plainPairsExpression } from '@tapedeck/log-query-language';
import type { Binder } from '../writer/engine/statements.ts';
import { joinAll } from './textConditions.ts';

/** Formats the value of the first pair with the key, `''` if there is none, and whether it is present. Empty values are absent. */
export function formatPair(key: string, binder: Binder): { value: string; isPresent: string } {
  const start = formatStart(key, binder);
  const rest = `substring(body, ${start} + ${key.length + 1})`;
  const quoted = `substringIndex(substring(${rest}, 2), '"', 1)`;
  const value = `if(${start} = 0, '', if(startsWith(${rest}, '"'), ${quoted}, substringIndex(${rest}, ' ', 1)))`;
  return { value, isPresent: `(${value} != '')` };
}

/** Formats the place where the pair begins, from 1; 0: nowhere. */
function formatStart(key: string, binder: Binder): string {
  return `position(concat(' ', body), ${binder.bind('String', ` ${key}=`)})`;
}

/** Formats whether the parser finds the values that `formatPair` finds. Bodies without the keys need not be plain. */
export function formatPlainPairs(keys: readonly string[], binder: Binder): string {
  const endings = keys.map(key => `${key.split('_').at(-1) ?? key}=`);
  const isPlain = `match(body, ${binder.bind('String', plainPairsExpression)})`;
  const spellings = keys.map(findOtherSpellings).filter(expression => expression !== null);
  return joinAll([
    `(NOT multiSearchAny(body, ${binder.bindTexts(endings)}) OR ${isPlain})`,
    ...spellings.map(expression => `NOT match(body, ${binder.bind('String', expression)})`),
    ...keys.map(key => formatIsClear(key, binder)),
  ]);
}

/** Formats whether the pair does not begin within a quoted value, and no later pair counts because the first is empty. */
function formatIsClear(key: string, binder: Binder): string {
  const isQuoted = `countSubstrings(substring(body, 1, ${formatStart(key, binder)}), '"') % 2 = 1`;
  const isRepeated = `countSubstrings(concat(' ', body), ${binder.bind('String', ` ${key}=`)}) > 1`;
  return `NOT (${isQuoted} OR ${isRepeated} AND NOT ${formatPair(key, binder).isPresent})`;
}
