/** Patterns as numbers in statements. */
import type { Binder } from '../writer/engine/statements.ts';

/** Merged patterns are named by their template instead. */
export function isDigits(name: string): boolean {
  return /^[0-9a-f]{16}$/.test(name);
}

const boundMax = 1_000; // values go into the address of the request, which has its limit

/** For `IN`. */
export function bindPatterns(patterns: readonly string[], binder: Binder): string {
  if (patterns.length > boundMax) return `(SELECT arrayJoin(${listPatterns(patterns, binder)}))`;
  return listPatterns(patterns, binder);
}

/** For `IN`, of a column of times. */
export function bindTimes(micros: readonly number[], binder: Binder): string {
  return `(SELECT fromUnixTimestamp64Micro(arrayJoin(${listNumbers('Int64', micros, binder)}), 'UTC'))`;
}

/** As an array. */
export function listPatterns(patterns: readonly string[], binder: Binder): string {
  const numbers = patterns.map(pattern => BigInt(`0x${pattern}`));
  return listNumbers('UInt64', numbers, binder);
}

const widths = { UInt16: 2, UInt64: 8, Int64: 8 } as const;

/**
 * As an array. The engine reads thousands of literals several times over, which takes longer than what is asked for; many numbers stand as
 * bytes in a query of their own, whose answer it takes as it is.
 */
export function listNumbers(
  type: keyof typeof widths,
  numbers: readonly (number | bigint)[],
  binder: Binder,
): string {
  if (numbers.length <= boundMax) return binder.bind(`Array(${type})`, `[${numbers.join()}]`);
  const width = widths[type];
  const bytes = Buffer.alloc(numbers.length * width);
  for (const [index, number] of numbers.entries()) {
    if (width === 2) bytes.writeUInt16LE(Number(number), index * width);
    else bytes.writeBigUInt64LE(BigInt.asUintN(64, BigInt(number)), index * width);
  }
  const read = `reinterpretAs${type}(substring(unhex('${bytes.toString('hex')}'), at * ${width} + 1, ${width}))`;
  return `(SELECT arrayMap(at -> ${read}, range(${numbers.length})))`;
}
