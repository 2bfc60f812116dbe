/** Finds the key in a DSN at the start of a body. SDKs that send through a tunnel name their DSN only in the first line of the envelope. */

const token = /\s*("(?:[^"\\]|\\.)*"|[^"\s])/gy;

/** Reads the `dsn` of the first object. null: there is none; undefined: it needs more text. */
export function findDsnKey(text: string): string | null | undefined {
  let depth = 0;
  let name = '';
  let last = '';
  token.lastIndex = 0;
  for (let found = token.exec(text); found !== null; found = token.exec(text)) {
    const [, sign = ''] = found;
    if (depth === 0 && sign !== '{') return null;
    if (sign === '{' || sign === '[') depth++;
    else if (sign === '}' || sign === ']') depth--;
    if (depth === 0) return null;
    if (depth !== 1) continue;
    if (sign === ':') name = last;
    else if (sign === ',') name = '';
    else if (name === '"dsn"') return readKey(sign);
    last = sign;
  }
  return undefined;
}

/** The user name in the address is the key. */
function readKey(json: string): string | null {
  try {
    const { username } = new URL(String(JSON.parse(json)));
    return decodeURIComponent(username) || null;
  } catch {
    return null;
  }
}
