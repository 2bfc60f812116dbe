/** Members of bodies that are JSON objects, as LogQL's parser `json` names them. */

/** A member whose label has this name: one of the outermost object, or one within others whose names come before it (`user_id`). */
export type MemberField = { readonly kind: 'member'; readonly key: string };

/** `isText`: somebody asks for its text, and not for its number alone. */
export type AskedMember = { readonly key: string; readonly isText: boolean };

const partsMax = 4;
const partOfName = /^[a-zA-Z0-9]+$/;

/** Names of labels whose members can be told apart from others. */
export function isMemberName(name: string): boolean {
  const parts = name.split('_');
  return /^[a-zA-Z]/.test(name) && parts.length <= partsMax && parts.every(part => partOfName.test(part));
}

/** The keys that may lead to the member, one way after the other: `user_id` may be `id` within `user`. */
export function listMemberPaths(key: string): readonly (readonly string[])[] {
  const paths = [[key]];
  for (let at = key.indexOf('_'); at >= 0; at = key.indexOf('_', at + 1))
    paths.push(...listMemberPaths(key.slice(at + 1)).map(rest => [key.slice(0, at), ...rest]));
  return paths;
}

/** Texts, and numbers and truth values as they are written; undefined for whatever else, and for what is not there. */
export function readMember(body: string, key: string): string | undefined {
  const object = parseObject(body);
  if (object === null) return undefined;
  return listMemberPaths(key)
    .map(path => follow(object, path))
    .find(value => value !== undefined);
}

/** Whether the members are what `readMember` says, however the names of labels are made. False where it is in doubt. */
export function arePlainMembers(body: string, members: readonly AskedMember[]): boolean {
  const object = parseObject(body);
  if (object === null || new RegExp(expressDoubts(members), 'u').test(body)) return false;
  return members.every(({ key }) => {
    const found = listMemberPaths(key).filter(path => follow(object, path) !== undefined);
    // Of two members the first counts, which is lost here.
    return found.length <= 1 && body.split(`"${found[0]?.at(-1) ?? key}"`).length <= 2;
  });
}

function follow(object: Record<string, unknown>, path: readonly string[]): string | undefined {
  let value: unknown = object;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || Array.isArray(value) || !Object.hasOwn(value, key))
      return undefined;
    value = (value as Record<string, unknown>)[key]; // it has it
  }
  return value === null || typeof value === 'object' ? undefined : String(value);
}

function parseObject(body: string): Record<string, unknown> | null {
  if (!body.includes('{')) return null;
  try {
    const parsed: unknown = JSON.parse(body);
    if (typeof parsed !== 'object' || Array.isArray(parsed)) return null;
    return parsed as Record<string, unknown> | null; // the rest of what JSON has
  } catch {
    return null;
  }
}

/**
 * An expression of RE2, and of JavaScript: it holds for bodies in which a name is written with an escape or with blanks around it, in which
 * another member makes a label of the same name, or which have a number or a sign that readers spell in their own way.
 */
export function expressDoubts(members: readonly AskedMember[]): string {
  const names = (asked: readonly AskedMember[]) => asked.flatMap(({ key }) => listMemberPaths(key));
  const any = (keys: Iterable<string>) => `(?:${[...new Set(keys)].join('|')})`;
  const texts = names(members.filter(({ isText }) => isText)).map(path => path.at(-1) ?? '');
  const keys = names(members).flat();
  return [
    String.raw`\\u[^"]*"\s*:`,
    '\ufffd',
    ...(keys.length === 0 ? [] : [`" +${any(keys)} *"`, `"${any(keys)} +"`]),
    ...(texts.length === 0 ? [] : [String.raw`"${any(texts)}"\s*:\s*(?:-0|-?[0-9]+[.eE])`]),
    ...members.flatMap(({ key }) => [...expressSpellings(key), ...expressRepetitions(key)]),
  ].join('|');
}

/** A sign that no label can have becomes `_`, too. */
function expressSpellings(key: string): string[] {
  const parts = key.split('_');
  return parts
    .slice(1)
    .map((part, index) => String.raw`${parts[index]}(?:[^a-zA-Z0-9_"\\]|\\.)${part}[^"]*"\s*:`);
}

/** Readers look into the first of two members alone, even where the second has what is asked for. */
function expressRepetitions(key: string): string[] {
  const paths = listMemberPaths(key);
  const last = new Set(paths.map(path => path.at(-1)));
  const outer = new Set(paths.flatMap(path => path.slice(0, -1)));
  return [
    ...[...last].map(name => String.raw`"${name}"\s*:\s*[n\[{][\s\S]*"${name}"\s*:`),
    ...[...outer].map(name => String.raw`"${name}"\s*:[\s\S]*"${name}"\s*:\s*\{`),
  ];
}
