/** Bodies that are as expensive to parse as possible, for each format of log entries, with the expected status. */

/** `make` returns a body of `bytes` bytes. `status` is the same for every size. */
export type HostileShape = { title: string; make(bytes: number): string; status: number };

/** Repeats the piece between `begin` and `end`, without the last comma. */
export function fill([begin, piece, end]: readonly [string, string, string], bytes: number): string {
  const count = Math.floor((bytes - begin.length - end.length) / piece.length);
  return begin + piece.repeat(count).replace(/,$/, '') + end;
}

/** Nests brackets, closed again, between `begin` and `end`. */
export function nest([begin, end]: readonly [string, string], bytes: number): string {
  const depth = Math.floor((bytes - begin.length - end.length) / 2);
  return begin + '['.repeat(depth) + ']'.repeat(depth) + end;
}

/** Repeats numbered pieces between `begin` and `end`. */
export function fillCounted(
  [begin, end]: readonly [string, string],
  piece: (index: number) => string,
  bytes: number,
): string {
  const count = Math.floor((bytes - begin.length - end.length) / (piece(1e6).length + 1));
  return begin + Array.from({ length: count }, (_, index) => piece(index)).join() + end;
}

const entry = '{"level":"info","message":"m"';
const members = fillCounted(['', ''], index => `"k${index}":1`, 3000);

export const batchShapes: readonly HostileShape[] = [
  { title: 'opening brackets', make: bytes => '['.repeat(bytes), status: 400 },
  { title: 'opening and closing brackets', make: bytes => nest(['', ''], bytes), status: 400 },
  { title: 'empty objects', make: bytes => fill(['[', '{},', ']'], bytes), status: 400 },
  {
    title: 'brackets under an unknown key',
    make: bytes => nest([`[${entry},"x":`, '}]'], bytes),
    status: 200,
  },
  {
    title: 'empty objects under an unknown key',
    make: bytes => fill([`[${entry},"x":[`, '{},', ']}]'], bytes),
    status: 200,
  },
  {
    title: 'one key over and over',
    make: bytes => fill([`[${entry}`, ',"level":"info"', '}]'], bytes),
    status: 200,
  },
  {
    title: 'one metadata key over and over',
    make: bytes => fill([`[${entry},"metadata":{`, '"a":1,', '}}]'], bytes),
    status: 200,
  },
  {
    title: 'many metadata keys',
    make: bytes => fillCounted([`[${entry},"metadata":{`, '}}]'], index => `"k${index}":1`, bytes),
    status: 400,
  },
  {
    title: 'metadata keys that are numbers',
    make: bytes => fillCounted([`[${entry},"metadata":{`, '}}]'], index => `"${index * 7919}":1`, bytes),
    status: 400,
  },
  {
    title: 'values below a huge key with dots',
    make: bytes => `[${entry},"metadata":{"${'a.'.repeat(bytes / 2)}":{${members}}}}]`,
    status: 400,
  },
  {
    title: 'a number of many digits',
    make: bytes => fill([`[${entry},"metadata":{"a":`, '7', '}}]'], bytes),
    status: 200,
  },
  {
    title: 'a lone surrogate below a huge key',
    make: bytes => `[${entry},"metadata":{"${'a'.repeat(bytes)}":"\\ud800"}}]`,
    status: 400,
  },
];

export const chatShapes: readonly HostileShape[] = [
  { title: 'opening brackets', make: bytes => '['.repeat(bytes), status: 400 },
  {
    title: 'fields of one name',
    make: bytes => fill(['{"embeds":[{"fields":[', '{"name":"a","value":"b"},', ']}]}'], bytes),
    status: 200,
  },
  {
    title: 'empty fields',
    make: bytes => fill(['{"embeds":[{"fields":[', '{},', ']}]}'], bytes),
    status: 200,
  },
  {
    title: 'fields of many names',
    make: bytes => fillCounted(['{"embeds":[{"fields":[', ']}]}'], index => `{"name":"n${index}"}`, bytes),
    status: 200,
  },
  {
    title: 'embeds of a sender with a long name',
    make: bytes => `{"username":"${'n'.repeat(bytes / 2)}",${fill(['"embeds":[', '{},', ']}'], 3000)}`,
    status: 200,
  },
  {
    title: 'embeds of a sender that is an object',
    make: bytes =>
      `{"username":{${members}},"x":"${'x'.repeat(bytes - 8000)}",${fill(['"embeds":[', '{},', ']}'], 3000)}`,
    status: 200,
  },
  {
    title: 'a lone surrogate below a huge key',
    make: bytes => `{"content":"m","${'a'.repeat(bytes)}":"\\ud800"}`,
    status: 400,
  },
];

export const attachmentShapes: readonly HostileShape[] = [
  {
    title: 'fields of one name',
    make: bytes => fill(['{"attachments":[{"fields":[', '{"title":"a","value":"b"},', ']}]}'], bytes),
    status: 200,
  },
];

export const legacyShapes: readonly HostileShape[] = [
  { title: 'opening brackets', make: bytes => '['.repeat(bytes), status: 400 },
  { title: 'empty objects', make: bytes => fill(['[', '{},', ']'], Math.min(bytes, 299_000)), status: 200 },
  {
    title: 'as many entries as shared attributes',
    make: bytes =>
      `{${fillCounted(['', ''], index => `"k${index}":1`, bytes / 2)},${fill(['"logs":[', '{},', ']}'], Math.min(bytes / 2, 29_000))}`,
    status: 200,
  },
  { title: 'empty lists', make: bytes => fill(['[', '[],', ']'], bytes), status: 200 },
  {
    title: 'brackets in the metadata',
    make: bytes => nest(['{"message":"m","metadata":{"a":', '}}'], bytes),
    status: 200,
  },
  {
    title: 'values below a huge key',
    make: bytes => fill([`{"metadata":{"${'a'.repeat(bytes / 2)}":{`, '"a":1,', '}}}'], bytes),
    status: 200,
  },
];
