/** Reads members of JSON bodies by the names that LogQL's parser `json` gives them. */

/** A member by its label. The label of a nested member begins with the names of the objects around it (`user_id`). */
export type MemberField = { readonly kind: 'member'; readonly key: string };

/** `isText`: the query needs the member's text, not only its number. */
export type AskedMember = { readonly key: string; readonly isText: boolean };

const partsMax = 4;
const partOfName = /^[a-zA-Z0-9]+$/;

/** Whether the store can tell the members with this label apart from others. */
export function isMemberName(name: string): boolean {
  const parts = name.split('_');
  return /^[a-zA-Z]/.test(name) && parts.length <= partsMax && parts.every(part => partOfName.test(part));
}

/** Lists the paths of keys that may lead to the member: `user_id` may be `id` within `user`. */
export function listMemberPaths(key: string): readonly (readonly string[])[] {
  const paths = [[key]];
  for (let at = key.indexOf('_'); at >= 0; at = key.indexOf('_', at + 1))
    paths.push(...listMemberPaths(key.slice(at + 1)).map(rest => [key.slice(0, at), ...rest]));
  return paths;
}

/**
 * Returns texts, and numbers and booleans as written; undefined for anything else and for missing members. Texts that begin like an
 * object or a list are undefined, too: some readers cannot tell them apart.
 */
export function readMember(body: string, key: string): string | undefined {
  const object = parseObject(body);
  if (object === null) return undefined;
  return listMemberPaths(key)
    .map(path => formatScalar(follow(object, path)))
    .find(value => value !== undefined);
}

/** Whether every way of naming labels leads to the members that `readMember` finds. False if in doubt. */
export function arePlainMembers(body: string, members: readonly AskedMember[]): boolean {
  const object = parseObject(body);
  if (object === null) return false;
  const beginsAsNumber = (path: readonly string[]) =>
    /^[-0-9]/.test(formatScalar(follow(object, path)) ?? '');
  const holds = ({ number, expression }: Doubt) =>
    (number === null || beginsAsNumber(number)) && new RegExp(expression, 'u').test(body);
  if (listDoubts(members).some(holds)) return false;
  return members.every(({ key }) => {
    const paths = listMemberPaths(key);
    if (paths.some(path => looksComposed(follow(object, path)))) return false;
    const found = paths.filter(path => formatScalar(follow(object, path)) !== undefined);
    // The first of two equal members counts, but JSON.parse keeps the last.
    return found.length <= 1 && body.split(`"${found[0]?.at(-1) ?? key}"`).length <= 2;
  });
}

/** Follows the path; null if a key is missing. */
function follow(object: Record<string, unknown>, path: readonly string[]): unknown {
  let value: unknown = object;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || Array.isArray(value) || !Object.hasOwn(value, key))
      return null;
    value = (value as Record<string, unknown>)[key]; // an object with this key
  }
  return value;
}

function looksComposed(value: unknown): boolean {
  return typeof value === 'string' ? /^[{[]/.test(value) : typeof value === 'object' && value !== null;
}

function formatScalar(value: unknown): string | undefined {
  return value === null || looksComposed(value) ? undefined : String(value);
}

function parseObject(body: string): Record<string, unknown> | null {
  if (!body.includes('{')) return null;
  try {
    const parsed: unknown = JSON.parse(body);
    if (typeof parsed !== 'object' || Array.isArray(parsed)) return null;
    return parsed as Record<string, unknown> | null; // all other JSON values are ruled out
  } catch {
    return null;
  }
}

/** Matches some of the bodies in which a member is in doubt. */
type Doubt = {
  /** Valid in RE2 and in JavaScript. */
  readonly expression: string;
  /** Bodies without any of these do not match. null: the expression begins with a literal text, so it is fast by itself. */
  readonly literals: readonly string[] | null;
  /** Bodies that hold this text less than twice do not match. */
  readonly twice: string | null;
  /** The doubt matters only if this path leads to something that begins like a number. */
  readonly number: readonly string[] | null;
  /** Bodies that hold this text only right after an unescaped quotation mark do not match. */
  readonly unquoted: string | null;
};

/**
 * Lists the bodies in doubt: a name has an escape or blanks around it, or there is none, another member gets the same label, or readers
 * write a number or a character differently.
 */
export function listDoubts(members: readonly AskedMember[]): readonly Doubt[] {
  const paths = members.flatMap(({ key }) => listMemberPaths(key));
  const keys = [...new Set(paths.flat())];
  const any = `(?:${keys.join('|')})`;
  const escaped = { ...makeDoubt(String.raw`\\u[^"]*"\s*:`), literals: [String.raw`\u`] };
  const unreadable = { ...makeDoubt('\ufffd'), literals: ['\ufffd'] };
  const blanks = {
    ...makeDoubt(`" +${any} *"|"${any} +"`),
    literals: keys.flatMap(key => [` ${key}`, `${key} `]),
  };
  // Labels of its members have no name in front.
  const nameless = { ...makeDoubt(String.raw`" *"\s*:\s*\{`), literals: ['""', '" "', '"  '] };
  const numbers = members
    .filter(({ isText }) => isText)
    .flatMap(({ key }) => listMemberPaths(key))
    .map(path => ({
      ...makeDoubt(String.raw`"${path.at(-1) ?? ''}"\s*:\s*(?:-0|-?[0-9]+[.eE])`),
      number: path,
    }));
  return [
    escaped,
    unreadable,
    ...(keys.length === 0 ? [] : [blanks, nameless]),
    ...numbers,
    ...members.flatMap(({ key }) => listSpellings(key)),
    ...members.flatMap(({ key }) => listRepetitions(key)),
  ];
}

function makeDoubt(expression: string): Doubt {
  return { expression, literals: null, twice: null, number: null, unquoted: null };
}

/** A character that labels cannot have also becomes `_`. */
function listSpellings(key: string): Doubt[] {
  const parts = key.split('_');
  return parts.slice(1).map((part, index) => ({
    ...makeDoubt(String.raw`${parts[index]}(?:[^a-zA-Z0-9_"\\]|\\.)${part}[^"]*"\s*:`),
    unquoted: part,
  }));
}

/** Readers look only into the first of two equal members, even if the second holds the requested one. */
function listRepetitions(key: string): Doubt[] {
  const paths = listMemberPaths(key);
  const last = new Set(paths.map(path => path.at(-1) ?? ''));
  const outer = new Set(paths.flatMap(path => path.slice(0, -1)));
  const repeat = (name: string, expression: string) => ({ ...makeDoubt(expression), twice: `"${name}"` });
  return [
    ...[...last].map(name => repeat(name, String.raw`"${name}"\s*:\s*[n\[{][\s\S]*"${name}"\s*:`)),
    ...[...outer].map(name => repeat(name, String.raw`"${name}"\s*:[\s\S]*"${name}"\s*:\s*\{`)),
  ];
}
