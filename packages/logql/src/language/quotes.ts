/** Reads and writes quoted texts like Go: double quotes allow escapes, backquotes do not. */

export type Unquoted = {
  text: string;
  /** Whether the escaped bytes are valid UTF-8. If not, `text` has U+FFFD in their place. */
  isUtf8: boolean;
};

const plainEscapes: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\x07',
  b: '\b',
  f: '\f',
  v: '\v',
  '\\': '\\',
};
const escapeSequence = /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3})|(.))/gs;

/** Returns the text in the quotes; null if it has an unknown escape or one of a character that does not exist. */
export function unquote(quoted: string): string | null {
  return unquoteBytes(quoted)?.text ?? null;
}

/** As `unquote`, but also says whether the escaped bytes are valid UTF-8. */
export function unquoteBytes(quoted: string): Unquoted | null {
  const inner = quoted.slice(1, -1);
  if (quoted.startsWith('`') || !inner.includes('\\')) return { text: inner, isUtf8: true };
  let isKnown = true;
  const pieces: (string | number)[] = [];
  let end = 0;
  for (const found of inner.matchAll(escapeSequence)) {
    const [, byte, short, long, octal, sign] = found;
    pieces.push(inner.slice(end, found.index));
    end = found.index + found[0].length;
    if (byte !== undefined) pieces.push(Number.parseInt(byte, 16));
    else {
      const plain = sign === undefined ? readCode(short ?? long, octal) : readSign(sign, quoted[0]);
      isKnown &&= plain !== null;
      pieces.push(plain ?? '');
    }
  }
  pieces.push(inner.slice(end));
  return isKnown ? joinPieces(pieces) : null;
}

/** Says what is wrong with a text that `unquote` does not read. As in Loki, unknown escapes come first. */
export function nameMistake(quoted: string): string {
  for (const [, , , , , sign] of quoted.slice(1, -1).matchAll(escapeSequence))
    if (sign !== undefined && readSign(sign, quoted[0]) === null) return 'invalid char escape';
  return 'invalid syntax';
}

function readCode(hex: string | undefined, octal: string | undefined): string | number | null {
  if (hex === undefined) {
    const byte = Number.parseInt(octal ?? '', 8);
    return byte <= 0xff ? byte : null;
  }
  const code = Number.parseInt(hex, 16);
  return code <= 0x10ffff ? String.fromCodePoint(code) : null;
}

/** A quotation mark may be escaped only inside quotes of the same kind. */
function readSign(sign: string, mark: string | undefined): string | null {
  if (sign === '"' || sign === "'") return sign === mark ? sign : null;
  return Object.hasOwn(plainEscapes, sign) ? (plainEscapes[sign] ?? null) : null;
}

/** Joins texts and bytes. The bytes may be parts of UTF-8 characters. */
function joinPieces(pieces: readonly (string | number)[]): Unquoted {
  if (pieces.every(piece => typeof piece === 'string')) return { text: pieces.join(''), isUtf8: true };
  const bytes = Buffer.concat(
    pieces.map(piece => (typeof piece === 'string' ? Buffer.from(piece) : Buffer.from([piece]))),
  );
  const text = bytes.toString();
  return { text, isUtf8: bytes.equals(Buffer.from(text)) };
}

const unprintable = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu;

/** Writes a character as its code, as short as Go does. */
export function escapeCode(sign: string): string {
  const code = sign.codePointAt(0) ?? 0;
  const digits = code.toString(16);
  if (code <= 0x7f) return `\\x${digits.padStart(2, '0')}`;
  return code > 0xffff ? `\\U${digits.padStart(8, '0')}` : `\\u${digits.padStart(4, '0')}`;
}

/** Quotes a text; the inverse of `unquote`. */
export function quote(text: string): string {
  const escaped = text.replaceAll(/["\\\n\t\r\x07\b\f\v]/g, sign => {
    const name = Object.keys(plainEscapes).find(each => plainEscapes[each] === sign);
    return `\\${name ?? sign}`;
  });
  return `"${escaped.replaceAll(unprintable, escapeCode)}"`;
}
