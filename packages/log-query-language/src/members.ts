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

/**
 * Texts, and numbers and truth values as they are written; undefined for whatever else, and for what is not there. Texts that begin as an
 * object or a list do are left out, too: some readers do not tell them from those.
 */
export function readMember(body: string, key: string): string | undefined {
  const object = parseObject(body);
  if (object === null) return undefined;
  return listMemberPaths(key)
    .map(path => spell(follow(object, path)))
    .find(value => value !== undefined);
}

/** Whether the members are what `readMember` says, however the names of labels are made. False where it is in doubt. */
export function arePlainMembers(body: string, members: readonly AskedMember[]): boolean {
  const object = parseObject(body);
  if (object === null) return false;
  const beginsAsNumber = (path: readonly string[]) => /^[-0-9]/.test(spell(follow(object, path)) ?? '');
  const holds = ({ number, expression }: Doubt) =>
    (number === null || beginsAsNumber(number)) && new RegExp(expression, 'u').test(body);
  if (listDoubts(members).some(holds)) return false;
  return members.every(({ key }) => {
    const paths = listMemberPaths(key);
    if (paths.some(path => looksComposed(follow(object, path)))) return false;
    const found = paths.filter(path => spell(follow(object, path)) !== undefined);
    // Of two members the first counts, which is lost here.
    return found.length <= 1 && body.split(`"${found[0]?.at(-1) ?? key}"`).length <= 2;
  });
}

/** null, too, for what is not there. */
function follow(object: Record<string, unknown>, path: readonly string[]): unknown {
  let value: unknown = object;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || Array.isArray(value) || !Object.hasOwn(value, key))
      return null;
    value = (value as Record<string, unknown>)[key]; // it has it
  }
  return value;
}

function looksComposed(value: unknown): boolean {
  return typeof value === 'string' ? /^[{[]/.test(value) : typeof value === 'object' && value !== null;
}

function spell(value: unknown): string | undefined {
  return value === null || looksComposed(value) ? undefined : String(value);
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

/** Holds for some bodies in which a member is in doubt. */
type Doubt = {
  /** Valid in RE2 and in JavaScript. */
  readonly expression: string;
  /** Bodies that hold none of them do not match. null: the expression begins with a text, and finds it fast. */
  readonly literals: readonly string[] | null;
  /** Bodies that hold it once do not match either. */
  readonly twice: string | null;
  /** It matters only where this way leads to what begins as a number does. */
  readonly number: readonly string[] | null;
  /** Bodies that hold it only right behind a quotation mark that is not escaped do not match. */
  readonly unquoted: string | null;
};

/**
 * Bodies in which a name is written with an escape or with blanks around it, in which another member makes a label of the same name, or
 * which have a number or a sign that readers spell in their own way.
 */
export function listDoubts(members: readonly AskedMember[]): readonly Doubt[] {
  const paths = members.flatMap(({ key }) => listMemberPaths(key));
  const keys = [...new Set(paths.flat())];
  const any = `(?:${keys.join('|')})`;
  const escaped = { ...doubt(String.raw`\\u[^"]*"\s*:`), literals: [String.raw`\u`] };
  const unreadable = { ...doubt('\ufffd'), literals: ['\ufffd'] };
  const blanks = {
    ...doubt(`" +${any} *"|"${any} +"`),
    literals: keys.flatMap(key => [` ${key}`, `${key} `]),
  };
  const numbers = members
    .filter(({ isText }) => isText)
    .flatMap(({ key }) => listMemberPaths(key))
    .map(path => ({
      ...doubt(String.raw`"${path.at(-1) ?? ''}"\s*:\s*(?:-0|-?[0-9]+[.eE])`),
      number: path,
    }));
  return [
    ...[escaped, unreadable],
    ...(keys.length === 0 ? [] : [blanks]),
    ...numbers,
    ...members.flatMap(({ key }) => listSpellings(key)),
    ...members.flatMap(({ key }) => listRepetitions(key)),
  ];
}

function doubt(expression: string): Doubt {
  return { expression, literals: null, twice: null, number: null, unquoted: null };
}

/** A sign that no label can have becomes `_`, too. */
function listSpellings(key: string): Doubt[] {
  const parts = key.split('_');
  return parts.slice(1).map((part, index) => ({
    ...doubt(String.raw`${parts[index]}(?:[^a-zA-Z0-9_"\\]|\\.)${part}[^"]*"\s*:`),
    unquoted: part,
  }));
}

/** Readers look into the first of two members alone, even where the second has what is asked for. */
function listRepetitions(key: string): Doubt[] {
  const paths = listMemberPaths(key);
  const last = new Set(paths.map(path => path.at(-1) ?? ''));
  const outer = new Set(paths.flatMap(path => path.slice(0, -1)));
  const repeat = (name: string, expression: string) => ({ ...doubt(expression), twice: `"${name}"` });
  return [
    ...[...last].map(name => repeat(name, String.raw`"${name}"\s*:\s*[n\[{][\s\S]*"${name}"\s*:`)),
    ...[...outer].map(name => repeat(name, String.raw`"${name}"\s*:[\s\S]*"${name}"\s*:\s*\{`)),
  ];
}
