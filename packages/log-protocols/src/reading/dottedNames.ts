/** Handles dotted names for the fields inside objects, as metadata shows them. */
import { isObject, type JsonObject } from '@tapedeck/values/json';

export type InnerName = { name: string; path: readonly string[] };

export function listInnerNames(names: readonly string[]): InnerName[] {
  const dotted = names.filter(name => /^[^.].*\.[^.]/.test(name));
  return dotted.map(name => ({ name, path: name.split('.') }));
}

/** Moves inner fields to the top under their full names. An entry's own value of that name wins. */
export function liftInner(entry: JsonObject, names: readonly InnerName[]): JsonObject {
  let lifted = entry;
  for (const { name, path } of names) {
    if (Object.hasOwn(lifted, name)) continue;
    const value = findInner(lifted, path);
    if (value !== undefined) lifted = { ...omitField(lifted, path), [name]: value };
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

/** Also drops an object that has no other field. */
function omitField(object: JsonObject, [name = '', ...inner]: readonly string[]): JsonObject {
  const { [name]: value, ...others } = object;
  if (inner.length === 0 || !isObject(value)) return others;
  const left = omitField(value, inner);
  return Object.keys(left).length === 0 ? others : { ...others, [name]: left };
}
