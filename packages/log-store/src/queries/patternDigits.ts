/** Formats patterns as numbers in statements. */
import type { Binder } from '../writer/engine/statements.ts';

/** Whether the name is a pattern's digits. Merged patterns use their template instead. */
export function isDigits(name: string): boolean {
  return /^[0-9a-f]{16}$/.test(name);
}

const boundMax = 1_000; // values go into the URL of the request, whose length is limited

/** Formats patterns for `IN`. */
export function bindPatterns(patterns: readonly string[], binder: Binder): string {
  if (patterns.length > boundMax) return `(SELECT arrayJoin(${listPatterns(patterns, binder)}))`;
  return listPatterns(patterns, binder);
}

/** Formats times for `IN`. */
export function bindTimes(micros: readonly number[], binder: Binder): string {
  return `(SELECT fromUnixTimestamp64Micro(arrayJoin(${listNumbers('Int64', micros, binder)}), 'UTC'))`;
}

/** Formats patterns as an array. */
export function listPatterns(patterns: readonly string[], binder: Binder): string {
  if (patterns.length > boundMax) return packBytes(patterns.join(''), { type: 'UInt64', isReverse: true });
  const numbers = patterns.map(pattern => BigInt(`0x${pattern}`));
  return binder.bind('Array(UInt64)', `[${numbers.join()}]`);
}

/** Formats numbers as an array. */
export function listNumbers(type: 'UInt16' | 'Int64', numbers: readonly number[], binder: Binder): string {
  if (numbers.length <= boundMax) return binder.bind(`Array(${type})`, `[${numbers.join()}]`);
  const bytes =
    type === 'UInt16' ? Uint16Array.from(numbers) : BigInt64Array.from(numbers, number => BigInt(number));
  const { buffer, byteOffset, byteLength } = bytes;
  return packBytes(Buffer.from(buffer, byteOffset, byteLength).toString('hex'), { type, isReverse: false });
}

const widths = { UInt16: 2, UInt64: 8, Int64: 8 };

/**
 * Packs many numbers as bytes into a subquery, whose result the engine uses directly. The engine parses thousands of
 * literals several times, which takes longer than the query itself. `isReverse`: the highest byte comes first.
 */
function packBytes(
  digits: string,
  { type, isReverse }: { type: keyof typeof widths; isReverse: boolean },
): string {
  const width = widths[type];
  const bytes = `substring(unhex('${digits}'), at * ${width} + 1, ${width})`;
  const read = `reinterpretAs${type}(${isReverse ? `reverse(${bytes})` : bytes})`;
  return `(SELECT arrayMap(at -> ${read}, range(${digits.length / 2 / width})))`;
}
