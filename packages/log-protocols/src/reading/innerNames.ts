/** Names with dots, of what lies inside of objects: as metadata shows them. */
import { isObject, type JsonObject } from '@tapedeck/values/json';

export type InnerName = { name: string; path: readonly string[] };

export function listInnerNames(names: readonly string[]): InnerName[] {
  const dotted = names.filter(name => /^[^.].*\.[^.]/.test(name));
  return dotted.map(name => ({ name, path: name.split('.') }));
}

/** Moves inner fields to the top under their whole names; an entry that has such a name keeps its own value. */
export function liftInner(entry: JsonObject, names: readonly InnerName[]): JsonObject {
  let lifted = entry;
  for (const { name, path } of names) {
    if (Object.hasOwn(lifted, name)) continue;
    const value = findInner(lifted, path);
    if (value !== undefined) lifted = { ...leaveOut(lifted, path), [name]: value };
  }
  return lifted;
}

function findInner(object: JsonObject, path: readonly string[]): unknown {
  let value: unknown = object;
  for (const name of path) {
    if (!isObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

/** An object that holds nothing else goes with it. */
function leaveOut(object: JsonObject, [name = '', ...inner]: readonly string[]): JsonObject {
  const { [name]: value, ...others } = object;
  if (inner.length === 0 || !isObject(value)) return others;
  const left = leaveOut(value, inner);
  return Object.keys(left).length === 0 ? others : { ...others, [name]: left };
}
