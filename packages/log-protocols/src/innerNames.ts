/** Names with dots, of what lies inside of objects: as metadata shows them. */
import { isObject, type JsonObject } from '@tapedeck/json-values';

export type InnerName = { name: string; path: readonly string[] };

export function listInnerNames(names: readonly string[]): InnerName[] {
  const dotted = names.filter(name => /^[^.].*\.[^.]/.test(name));
  return dotted.map(name => ({ name, path: name.split('.') }));
}

/** What lies there stands outside then, under the whole name; an entry that has this name itself keeps it. */
export function liftInner(entry: JsonObject, names: readonly InnerName[]): void {
  for (const { name, path } of names) {
    if (Object.hasOwn(entry, name)) continue;
    const value = takeInner(entry, path, 0);
    if (value !== undefined) entry[name] = value;
  }
}

/** An object that holds nothing else goes with it. */
function takeInner(object: JsonObject, path: readonly string[], depth: number): unknown {
  const name = path[depth]!; // it is asked for as long as there are more
  if (!Object.hasOwn(object, name)) return undefined;
  const value = object[name];
  if (depth === path.length - 1) {
    delete object[name];
    return value;
  }
  if (!isObject(value)) return undefined;
  const found = takeInner(value, path, depth + 1);
  if (found !== undefined && Object.keys(value).length === 0) delete object[name];
  return found;
}
