/** Reads pairs of bodies such as `level=info msg="two words"` by the names that LogQL's parser `logfmt` gives them. */

/** The value of the first pair with the key; absent if it is empty. */
export type PairField = { readonly kind: 'pair'; readonly key: string };

/**
 * An RE2 expression for bodies that every reader understands alike: keys, perhaps with values, between spaces. It excludes tabs, escapes in quoted
 * values, and U+FFFD, which becomes a blank in a label.
 */
export const plainPairsExpression =
  '^ *(?:[^\\x00-\\x20"=\ufffd]+(?:=(?:[^\\x00-\\x20"=\ufffd]+|"[^"\\\\\ufffd]*")?)?(?: +|$))*$';

const plainBody = new RegExp(plainPairsExpression, 'u');

/** An RE2 expression for other keys that make the same label: all characters that labels cannot hold become `_`. null: there are none. */
export function findOtherSpellings(key: string): string | null {
  const parts = key.split('_');
  if (parts.length === 1) return null;
  const spelled = parts.slice(1).map((_, index) => {
    const gaps = parts.map((part, at) =>
      at === 0
        ? part
        : `${at === index + 1 ? '[^a-zA-Z0-9_\\x00-\\x20"=]' : '[^a-zA-Z0-9\\x00-\\x20"=]'}${part}`,
    );
    return gaps.join('');
  });
  return `(?:${spelled.join('|')})=`;
}

export function readPair(body: string, key: string): string | undefined {
  const start = findPair(body, key);
  if (start < 0) return undefined;
  const rest = body.slice(start + key.length + 1);
  const value = rest.startsWith('"') ? rest.split('"')[1] : rest.split(' ')[0];
  return value === '' ? undefined : value;
}

/** Whether the parser certainly finds the same values as `readPair`. */
export function arePlainPairs(body: string, keys: readonly string[]): boolean {
  return keys.every(key => {
    const ending = `${key.split('_').at(-1) ?? key}=`;
    if (!body.includes(ending)) return true;
    if (!plainBody.test(body)) return false;
    const others = findOtherSpellings(key);
    if (others !== null && new RegExp(others, 'u').test(body)) return false;
    const start = findPair(body, key);
    if (start < 0) return true;
    const isQuoted = (body.slice(0, start).split('"').length - 1) % 2 === 1;
    const isRepeated = ` ${body}`.split(` ${key}=`).length > 2;
    return !isQuoted && !(isRepeated && readPair(body, key) === undefined);
  });
}

function findPair(body: string, key: string): number {
  return ` ${body}`.indexOf(` ${key}=`);
}
