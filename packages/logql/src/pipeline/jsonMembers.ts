/** Names the labels of JSON members. The label of a nested member begins with the names of the objects around it. */
import { sanitizeName } from '../labels/names.ts';

export const depthMax = 100; // deeper objects are ignored

const invalid = /[^a-zA-Z0-9_]/u;

/** `prefix` is the label name of the object around the member; '' for the line itself. As in Loki, a blank key adds nothing. */
export function nameMember(prefix: string, key: string): string {
  const own = key.trim();
  if (own === '') return prefix;
  if (prefix === '') return sanitizeName(own);
  return `${prefix}_${invalid.test(own) ? own.replaceAll(/[^a-zA-Z0-9_]/gu, '_') : own}`;
}

/** Lists the keys that lead to each label's member. Empty if the line is not a JSON object. */
export function listJsonPaths(line: string): ReadonlyMap<string, readonly string[]> {
  const paths = new Map<string, string[]>();
  const visit = (object: object, prefix: string, above: readonly string[]) => {
    for (const [key, value] of Object.entries(object)) {
      const name = nameMember(prefix, key);
      const path = [...above, key];
      if (value === null || Array.isArray(value)) continue;
      if (typeof value === 'object') {
        if (above.length < depthMax) visit(value, name, path);
      } else if (!paths.has(name)) paths.set(name, path);
    }
  };
  const parsed = parseObject(line);
  if (parsed !== null) visit(parsed, '', []);
  return paths;
}

function parseObject(line: string): object | null {
  if (!line.startsWith('{')) return null;
  try {
    // Text that begins like this is an object or not JSON.
    return JSON.parse(line) as object;
  } catch {
    return null;
  }
}
