/** Mutates requests at random, reproducibly for a seed: bytes, headers, encodings, tokens and the bytes that follow on the wire. */
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { snappyCompress } from 'hysnappy';

/** Pseudo-random numbers from a seed. */
type Dice = {
  /** A whole number from zero up to, but below, `count`. */
  below(count: number): number;
  pick<Value>(values: readonly Value[]): Value;
  /** True once in `times` calls on average. */
  once(times: number): boolean;
};

export function throwDice(seed: number): Dice {
  let state = seed | 0;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  const below = (count: number) => next() % Math.max(1, count);
  return { below, pick: values => values[below(values.length)]!, once: times => below(times) === 0 };
}

/** Fragments that confuse parsers, inserted anywhere. */
const stumblingBlocks = [
  '"__proto__":{"a":1},',
  '"constructor":1,',
  '\0',
  '\\ud800',
  '1e400',
  '-1',
  '99999999999999999999',
  'null',
  '[',
  ']',
  '{',
  '}',
  '"',
  '\\',
  '\n',
  '\r\n',
  ',',
  ':',
  ' ',
  '{}',
  '[]',
  '""',
  '0',
  'true',
  '\ufeff',
  '10000-01-01T00:00:00Z',
  '-0001-01-01T00:00:00Z',
  '9223372036854775808',
  '{"a":'.repeat(200),
].map(text => Buffer.from(text));
const stumblingBytes = [
  [0xff],
  [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01],
  [0xff, 0xff, 0xff, 0xff, 0x0f],
  [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
  [0],
  [0x0a, 0x00],
  [0x0b],
  [0x0c],
  [0xed, 0xa0, 0x80],
].map(bytes => Buffer.from(bytes));

type Mutate = (bytes: Buffer, dice: Dice, others: readonly Buffer[]) => Buffer;

const part = (bytes: Buffer, dice: Dice): Buffer => {
  const start = dice.below(bytes.length + 1);
  return bytes.subarray(start, start + dice.below(Math.min(64, bytes.length - start) + 1));
};
const insert = (bytes: Buffer, at: number, more: Buffer) =>
  Buffer.concat([bytes.subarray(0, at), more, bytes.subarray(at)]);

const mutations: readonly Mutate[] = [
  (bytes, dice) => {
    const copy = Buffer.from(bytes);
    for (let flips = 1 + dice.below(4); flips > 0 && copy.length > 0; flips--)
      copy[dice.below(copy.length)]! ^= 1 << dice.below(8);
    return copy;
  },
  (bytes, dice) => bytes.subarray(0, dice.below(bytes.length + 1)),
  (bytes, dice) => bytes.subarray(dice.below(bytes.length + 1)),
  (bytes, dice) => insert(bytes, dice.below(bytes.length + 1), part(bytes, dice)),
  (bytes, dice, others) => insert(bytes, dice.below(bytes.length + 1), part(dice.pick(others), dice)),
  (bytes, dice, others) => Buffer.concat([bytes.subarray(0, dice.below(bytes.length)), dice.pick(others)]),
  (bytes, dice) => insert(bytes, dice.below(bytes.length + 1), dice.pick(stumblingBlocks)),
  (bytes, dice) => insert(bytes, dice.below(bytes.length + 1), dice.pick(stumblingBytes)),
  (bytes, dice) => {
    const start = dice.below(bytes.length + 1);
    return Buffer.concat([bytes.subarray(0, start), bytes.subarray(start + dice.below(32))]);
  },
  (bytes, dice) => {
    const copy = Buffer.from(bytes);
    if (copy.length > 0) copy[dice.below(copy.length)] = dice.pick([0, 0x7f, 0x80, 0xff]);
    return copy;
  },
  (bytes, dice) => {
    const text = bytes.toString('latin1');
    const numbers = [...text.matchAll(/\d+/g)];
    const found = numbers[dice.below(numbers.length)];
    if (found === undefined) return bytes;
    const put = dice.pick(['1e400', '-1', '9'.repeat(30), '"x"', '0.1', 'null', '18446744073709551615']);
    return Buffer.from(
      text.slice(0, found.index) + put + text.slice(found.index + found[0].length),
      'latin1',
    );
  },
];

/** Mutates one to three times; now and then not at all. */
export function mutateBytes(bytes: Buffer, dice: Dice, others: readonly Buffer[]): Buffer {
  let mutated = bytes;
  for (let times = dice.below(4); times > 0; times--) mutated = dice.pick(mutations)(mutated, dice, others);
  return mutated;
}

const packers: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  gzip: bytes => gzipSync(bytes),
  deflate: bytes => deflateSync(bytes),
  br: bytes => brotliCompressSync(bytes),
  zstd: bytes => zstdCompressSync(bytes),
};

type Packed = { bytes: Buffer; encoding: string | null };

/** Usually compresses the body as declared, sometimes not. */
export function packBody(plain: Buffer, dice: Dice): Packed {
  if (!dice.once(3)) return { bytes: plain, encoding: null };
  const encoding = dice.pick(Object.keys(packers));
  const packed = packers[encoding]!(plain);
  if (dice.once(4)) return { bytes: mutateBytes(packed, dice, [plain]), encoding };
  if (dice.once(6))
    return {
      bytes: packed,
      encoding: dice.pick(['identity', 'gzip', 'br', 'x', 'gzip, gzip', 'snappy', '']),
    };
  return { bytes: dice.once(6) ? Buffer.concat([packed, packed]) : packed, encoding };
}

export function packSnappy(plain: Buffer, dice: Dice): Buffer {
  const packed = Buffer.from(snappyCompress(plain));
  return dice.once(3) ? mutateBytes(packed, dice, [plain]) : packed;
}

const contentTypes = [
  'application/json',
  'text/plain',
  'application/x-protobuf',
  'application/x-ndjson',
  'application/protobuf',
  'application/json; charset=utf-16',
  'multipart/form-data',
  'application/octet-stream',
  '',
  'x',
  'application/JSON',
];
const queries = [
  'dataset=fuzzed',
  'dataset=%00',
  'dataset=a&dataset=b',
  'apiKey=',
  'index=x',
  'ddtags=%F0',
  'messageField=__proto__',
  '%',
];

/** A request line and its headers, unchanged or mutated. */
type Head = { method: string; path: string; headers: Record<string, string> };

export function mutateHead(head: Head, dice: Dice, authorizations: readonly string[]): Head {
  let { method, path } = head;
  const headers = { ...head.headers };
  if (dice.once(8)) headers['content-type'] = dice.pick(contentTypes);
  if (dice.once(8)) headers.authorization = dice.pick(authorizations);
  if (dice.once(12)) path += `?${dice.pick(queries)}`;
  if (dice.once(30)) method = dice.pick(['PUT', 'GET', 'DELETE', 'PATCH', 'OPTIONS']);
  if (dice.once(20))
    headers[dice.pick(['x-a-dataset', 'x-scope-orgid'])] = dice.pick([
      'fuzzed',
      'bad name',
      '*',
      'a'.repeat(300),
    ]);
  if (dice.once(40)) headers.expect = '100-continue';
  return { method, path, headers };
}

/** The bytes on the wire. `delivered` is the body within them, or null if it does not arrive whole. */
export type Wire = { bytes: Buffer; delivered: Buffer | null };

export function spellWire({ method, path, headers }: Head, body: Buffer, dice: Dice): Wire {
  const spell = (more: readonly string[], content: Buffer) => {
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    const head = [`${method} ${path} HTTP/1.1`, 'host: localhost', ...lines, ...more].join('\r\n');
    return Buffer.concat([Buffer.from(`${head}\r\n\r\n`, 'latin1'), content]);
  };
  const withLength = (length: number) => spell([`content-length: ${length}`], body);
  if (dice.once(25)) return { bytes: withLength(body.length + 1 + dice.below(1000)), delivered: null };
  if (dice.once(25)) {
    const length = dice.below(body.length + 1);
    return { bytes: withLength(length), delivered: body.subarray(0, length) };
  }
  if (!dice.once(6)) return { bytes: withLength(body.length), delivered: body };
  const chunks: Buffer[] = [];
  for (let at = 0; at < body.length; ) {
    const chunk = body.subarray(at, at + 1 + dice.below(body.length));
    at += chunk.length;
    chunks.push(Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n'));
  }
  const isWhole = !dice.once(4);
  if (isWhole) chunks.push(Buffer.from('0\r\n\r\n'));
  return {
    bytes: spell(['transfer-encoding: chunked'], Buffer.concat(chunks)),
    delivered: isWhole ? body : null,
  };
}
