/** Lists changed fields for the audit log. Forms send every field; only new values count. */
import { isDeepStrictEqual } from 'node:util';

/** Returns the new values, and under `before` the old ones; null: nothing changed. `names`: the sent fields, or all. */
export function listChanged<T extends object>(
  before: T,
  after: T,
  names: readonly string[] = Object.keys(after),
): Record<string, unknown> | null {
  const [old, now] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  const changed = names.filter(name => !isDeepStrictEqual(old.get(name), now.get(name)));
  if (changed.length === 0) return null;
  return { ...pick(now, changed), before: pick(old, changed) };
}

function pick(values: ReadonlyMap<string, unknown>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.map(name => [name, values.get(name) ?? null]));
}
