/** Patterns as numbers in statements. */
import type { Binder } from '../writer/engine/statements.ts';

/** Merged patterns are named by their template instead. */
export function isDigits(name: string): boolean {
  return /^[0-9a-f]{16}$/.test(name);
}

export function bindPatterns(patterns: readonly string[], binder: Binder): string {
  return bindNumbers(
    'Array(UInt64)',
    patterns.map(pattern => BigInt(`0x${pattern}`)),
    binder,
  );
}

const boundMax = 2_000; // values go into the address of the request, which has its limit

/** Many numbers stand in the statement itself. */
export function bindNumbers(type: string, numbers: readonly (number | bigint)[], binder: Binder): string {
  const list = `[${numbers.join()}]`;
  return numbers.length <= boundMax ? binder.bind(type, list) : `CAST(${list}, '${type}')`;
}
