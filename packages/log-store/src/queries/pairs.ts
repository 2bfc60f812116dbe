/** Formats access to pairs of bodies in logfmt, such as `level=info`. */
import { findOtherSpellings, plainPairsExpression } from '@tapedeck/log-query-language';
import type { Binder } from '../writer/engine/statements.ts';
import { joinAll, joinAny } from './textConditions.ts';

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

/** Formats whether the parser finds the values that `formatPair` finds. */
export function formatPlainPairs(keys: readonly string[], binder: Binder): string {
  const isPlain = `match(body, ${binder.bind('String', plainPairsExpression)})`;
  return joinAll(
    keys.map(key => {
      const ending = binder.bind('String', `${key.split('_').at(-1) ?? key}=`);
      const others = findOtherSpellings(key);
      return joinAny([
        `position(body, ${ending}) = 0`,
        joinAll([
          isPlain,
          ...(others === null ? [] : [`NOT match(body, ${binder.bind('String', others)})`]),
          formatIsClear(key, binder),
        ]),
      ]);
    }),
  );
}

/** Formats whether the place of the pair is not within a quoted value, and no later pair counts because the first is empty. */
function formatIsClear(key: string, binder: Binder): string {
  const isQuoted = `countSubstrings(substring(body, 1, ${formatStart(key, binder)}), '"') % 2 = 1`;
  const isRepeated = `countSubstrings(concat(' ', body), ${binder.bind('String', ` ${key}=`)}) > 1`;
  return `NOT (${isQuoted} OR ${isRepeated} AND NOT ${formatPair(key, binder).isPresent})`;
}
