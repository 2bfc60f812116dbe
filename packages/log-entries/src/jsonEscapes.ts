/** Decodes the escapes in JSON strings into UTF-8. */

/** An append-only buffer. It never overflows: decoded text takes no more room than its escaped form. */
export type Written = { readonly bytes: Buffer; length: number };

const backslash = 0x5c;
const unicodeLetter = 0x75;
const letters = new Map(
  Object.entries({ '"': '"', '\\': '\\', '/': '/', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }).map(
    ([letter, meaning]) => [letter.charCodeAt(0), meaning.charCodeAt(0)],
  ),
);
const unicodeLength = 6; // \u0000
const highSurrogates = { first: 0xd800, last: 0xdbff };
const lowSurrogates = { first: 0xdc00, last: 0xdfff };
const firstBeyondUnits = 0x10000;

/** Writes the character whose escape begins at `at`. Returns the position after it; 0 if the escape is invalid. */
export function writeEscaped(written: Written, bytes: Buffer, at: number): number {
  const letter = bytes[at + 1] ?? 0;
  if (letter === unicodeLetter) return writeUnicode(written, bytes, at);
  const meaning = letters.get(letter);
  if (meaning === undefined) return 0;
  written.bytes[written.length++] = meaning;
  return at + 2;
}

function writeUnicode(written: Written, bytes: Buffer, at: number): number {
  const unit = readUnit(bytes, at);
  const isHigh = unit >= highSurrogates.first && unit <= highSurrogates.last;
  if (!isHigh) {
    if (unit < 0 || (unit >= lowSurrogates.first && unit <= lowSurrogates.last)) return 0;
    writeCharacter(written, unit);
    return at + unicodeLength;
  }
  const low = readUnit(bytes, at + unicodeLength);
  if (low < lowSurrogates.first || low > lowSurrogates.last) return 0;
  const code = ((unit - highSurrogates.first) << 10) + (low - lowSurrogates.first) + firstBeyondUnits;
  writeCharacter(written, code);
  return at + 2 * unicodeLength;
}

/** Reads the UTF-16 unit at `at`; negative if none is there. */
function readUnit(bytes: Buffer, at: number): number {
  if (bytes[at] !== backslash || bytes[at + 1] !== unicodeLetter) return -1;
  let unit = 0;
  for (let digit = at + 2; digit < at + unicodeLength; digit++) {
    const value = readHexDigit(bytes[digit] ?? 0);
    if (value < 0) return -1;
    unit = unit * 16 + value;
  }
  return unit;
}

function readHexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30; // 0 to 9
  const small = byte | 0x20;
  return small >= 0x61 && small <= 0x66 ? small - 0x57 : -1; // a to f
}

function writeCharacter(written: Written, code: number): void {
  const { bytes } = written;
  let to = written.length;
  if (code < 0x80) bytes[to++] = code;
  else {
    if (code < 0x800) bytes[to++] = 0xc0 | (code >> 6);
    else {
      if (code < firstBeyondUnits) bytes[to++] = 0xe0 | (code >> 12);
      else {
        bytes[to++] = 0xf0 | (code >> 18);
        bytes[to++] = 0x80 | ((code >> 12) & 0x3f);
      }
      bytes[to++] = 0x80 | ((code >> 6) & 0x3f);
    }
    bytes[to++] = 0x80 | (code & 0x3f);
  }
  written.length = to;
}
