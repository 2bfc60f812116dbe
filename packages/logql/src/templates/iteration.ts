/** What `range` goes through. */
import { isList, isRecord, print, TemplateFailure, type Value } from './values.ts';

export const itemsMax = 20_000; // of a number; a template may take no more steps for a line

export function listItems(value: Value): [key: Value, item: Value][] {
  if (isList(value)) return value.map((item, index) => [BigInt(index), item]);
  if (isRecord(value)) {
    const names = Object.keys(value).sort();
    return names.map(name => [name, value[name] ?? null]);
  }
  if (typeof value === 'bigint') return listNumbers(value);
  if (value === null) return [];
  throw new TemplateFailure(`range can't iterate over ${print(value).slice(0, 100)}`);
}

/** From zero on. One more than a template can take is enough to end it. */
function listNumbers(count: bigint): [key: Value, item: Value][] {
  const length = Math.min(Math.max(Number(count), 0), itemsMax + 1);
  return Array.from({ length }, (_, index) => [null, BigInt(index)]);
}
