/** Reads labels as Loki's clients write them in protobuf and in the oldest JSON: `{job="game", level="info"}`. */
import { ProtocolFailure } from '../reading/sentEntry.ts';

type Label = readonly [name: string, value: string];

const pair = /\s*([a-zA-Z_][\w.:-]*)\s*=\s*("[^"\\]*(?:\\.[^"\\]*)*"|`[^`]*`)\s*(,|\})/sy;

const lengthMax = 64 * 1024; // far more than an entry may hold

export function parseLabels(text: string): Label[] {
  if (text.length > lengthMax) throw malformed(text);
  const opening = /^\s*\{\s*(\}\s*$)?/.exec(text);
  if (opening === null) throw malformed(text);
  if (opening[1] !== undefined) return [];
  const labels: Label[] = [];
  pair.lastIndex = opening[0].length;
  for (;;) {
    const found = pair.exec(text);
    if (found === null) throw malformed(text);
    const [, name = '', quoted = '', end] = found;
    labels.push([name, unquote(quoted)]);
    if (end === '}') break;
    // A comma may precede the end.
    if (/^\s*\}\s*$/.test(text.slice(pair.lastIndex, pair.lastIndex + 16))) break;
  }
  return labels;
}

const escapes: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\x07',
  b: '\b',
  f: '\f',
  v: '\v',
  0: '\0',
};

const escapedByte = String.raw`\\(?:x[0-9a-fA-F]{2}|[0-7]{3})`;
const anyEscape = new RegExp(
  String.raw`((?:${escapedByte})+)|\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|u\{([0-9a-fA-F]{1,6})\}|(.))`,
  'gs',
);

/** Reads a string in Go's syntax, or in Rust's (`\u{301}`, `\0`), which Rust's clients write. */
function unquote(quoted: string): string {
  const inner = quoted.slice(1, -1);
  if (quoted.startsWith('`') || !inner.includes('\\')) return inner;
  return inner.replaceAll(
    anyEscape,
    (_, bytes?: string, short?: string, long?: string, inBraces?: string, sign?: string) => {
      if (bytes !== undefined) return readBytes(bytes);
      const hex = short ?? long ?? inBraces;
      if (hex !== undefined) return toCharacter(Number.parseInt(hex, 16));
      return escapes[sign ?? ''] ?? sign ?? '';
    },
  );
}

/** Go escapes bytes that are not UTF-8, such as those of a character that was cut. */
function readBytes(escaped: string): string {
  const bytes = escaped
    .slice(1)
    .split('\\')
    .map(byte => (byte.startsWith('x') ? Number.parseInt(byte.slice(1), 16) : Number.parseInt(byte, 8)));
  return Buffer.from(bytes).toString();
}

function toCharacter(code: number): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd';
}

function malformed(text: string): ProtocolFailure {
  const shown = text.length > 60 ? `${text.slice(0, 60)}…` : text;
  return new ProtocolFailure('bad_request', `Labels must be written like {job="game"}, not like ${shown}`);
}
