/** Lists the items that `range` iterates over. */
import { isList, isRecord, print, TemplateFailure, type Value } from './values.ts';

export const itemsMax = 20_000; // for ranges over a number; equals the steps that a template may take per line

/** Numbers have no keys, so they fill one variable. */
export function listItems(value: Value, variables: number): [key: Value, item: Value][] {
  if (isList(value)) return value.map((item, index) => [BigInt(index), item]);
  if (isRecord(value)) {
    const names = Object.keys(value).sort();
    return names.map(name => [name, value[name] ?? null]);
  }
  if (typeof value === 'bigint' && variables > 1)
    throw new TemplateFailure(`can't use ${value} to iterate over more than one variable`);
  if (typeof value === 'bigint') return listNumbers(value);
  if (value === null) return [];
  throw new TemplateFailure(`range can't iterate over ${print(value).slice(0, 100)}`);
}

/** Counts from zero. One item above the limit is enough to stop the template. */
function listNumbers(count: bigint): [key: Value, item: Value][] {
  const length = Math.min(Math.max(Number(count), 0), itemsMax + 1);
  return Array.from({ length }, (_, index) => [null, BigInt(index)]);
}
