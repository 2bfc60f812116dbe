/** Reads the list of entries of an archive that `writeZip` wrote, and checks everything in it. */

/** Reads bytes of the archive; fewer at its end. */
export type ZipSource = {
  sizeBytes: number;
  read(position: number, lengthBytes: number): Promise<Buffer>;
};

/** An uncompressed entry, and where its bytes lie. */
export type StoredEntry = { path: string; startsAt: number; sizeBytes: number };

/** An invalid archive. The message says why. */
export class ZipMistake extends Error {}

const endBytes = 22;
const largeEndBytes = 56;
const largePlaceBytes = 20;
const centralBytes = 46;
const localBytes = 30;
const entriesMax = 2_000_000; // twenty times the largest archive in the tests
const listBytesMax = 512 * 1024 * 1024; // for that many entries with long names
const readBytes = 1024 * 1024;
const capped = 0xffff_ffff;

type List = { entries: number; sizeBytes: number; offset: number; endsAt: number };

/** Lists entries in the order of the archive's list. Throws a `ZipMistake` for anything that `writeZip` doesn't write. */
export async function listStoredEntries(source: ZipSource): Promise<StoredEntry[]> {
  const list = await readEnd(source);
  if (list.entries > entriesMax || list.sizeBytes > listBytesMax)
    throw new ZipMistake(`The archive lists more than ${entriesMax} entries.`);
  if (list.offset + list.sizeBytes !== list.endsAt)
    throw new ZipMistake('The list of entries does not end where the archive says.');
  const entries: StoredEntry[] = [];
  const paths = new Set<string>();
  let endsAt = 0;
  for await (const { path, offset, sizeBytes } of readList(source, list)) {
    if (paths.has(path)) throw new ZipMistake(`The archive has two entries named ${JSON.stringify(path)}.`);
    paths.add(path);
    const local = await source.read(offset, localBytes);
    if (offset < endsAt || local.length < localBytes || local.readUInt32LE(0) !== 0x04034b50)
      throw new ZipMistake(`The entry ${JSON.stringify(path)} does not begin where the archive says.`);
    const startsAt = offset + localBytes + local.readUInt16LE(26) + local.readUInt16LE(28);
    endsAt = startsAt + sizeBytes;
    if (endsAt > list.offset)
      throw new ZipMistake(`The entry ${JSON.stringify(path)} ends after the start of the list.`);
    entries.push({ path, startsAt, sizeBytes });
  }
  return entries;
}

async function readEnd({ sizeBytes, read }: ZipSource): Promise<List> {
  const at = sizeBytes - endBytes;
  const end = at < 0 ? Buffer.alloc(0) : await read(at, endBytes);
  if (end.length < endBytes || end.readUInt32LE(0) !== 0x06054b50)
    throw new ZipMistake('This is not a ZIP archive, or bytes are missing or added at its end.');
  const list = {
    entries: end.readUInt16LE(10),
    sizeBytes: end.readUInt32LE(12),
    offset: end.readUInt32LE(16),
    endsAt: at,
  };
  if (list.entries < 0xffff && list.sizeBytes < capped && list.offset < capped) return list;
  const place = await read(Math.max(0, at - largePlaceBytes), largePlaceBytes);
  if (place.length < largePlaceBytes || place.readUInt32LE(0) !== 0x07064b50)
    throw new ZipMistake('The archive is large but does not contain its size.');
  const endsAt = readNumber(place, 8);
  const large = await read(endsAt, largeEndBytes);
  if (large.length < largeEndBytes || large.readUInt32LE(0) !== 0x06064b50)
    throw new ZipMistake('The end of the archive is not where it says.');
  return {
    entries: readNumber(large, 32),
    sizeBytes: readNumber(large, 40),
    offset: readNumber(large, 48),
    endsAt,
  };
}

type Listed = { path: string; offset: number; sizeBytes: number };

async function* readList(source: ZipSource, list: List): AsyncGenerator<Listed> {
  let held: Buffer = Buffer.alloc(0);
  let position = list.offset;
  const need = async (lengthBytes: number) => {
    while (held.length < lengthBytes && position < list.endsAt) {
      const more = await source.read(position, Math.min(readBytes, list.endsAt - position));
      if (more.length === 0) break;
      position += more.length;
      held = Buffer.concat([held, more]);
    }
    if (held.length < lengthBytes) throw new ZipMistake('The list of entries ends early.');
  };
  for (let index = 0; index < list.entries; index++) {
    await need(centralBytes);
    if (held.readUInt32LE(0) !== 0x02014b50) throw new ZipMistake('The list of entries is damaged.');
    const [nameBytes, extraBytes, commentBytes] = [28, 30, 32].map(at => held.readUInt16LE(at));
    const lengthBytes = centralBytes + (nameBytes ?? 0) + (extraBytes ?? 0) + (commentBytes ?? 0);
    await need(lengthBytes);
    yield readCentral(held.subarray(0, lengthBytes), nameBytes ?? 0);
    held = held.subarray(lengthBytes);
  }
  if (held.length > 0 || position < list.endsAt)
    throw new ZipMistake('The list of entries holds more than it says.');
}

function readCentral(header: Buffer, nameBytes: number): Listed {
  const path = header.toString('utf8', centralBytes, centralBytes + nameBytes);
  const extra = header.subarray(centralBytes + nameBytes, centralBytes + nameBytes + header.readUInt16LE(30));
  if (header.readUInt16LE(10) !== 0)
    throw new ZipMistake(`The entry ${JSON.stringify(path)} is compressed, which evidence never is.`);
  const large = readLarge(extra);
  const widen = (value: number) => (value < capped ? value : (large.shift() ?? Number.NaN));
  const sizeBytes = widen(header.readUInt32LE(24));
  const storedBytes = widen(header.readUInt32LE(20));
  const offset = widen(header.readUInt32LE(42));
  if (sizeBytes !== storedBytes || !Number.isSafeInteger(offset))
    throw new ZipMistake(`The sizes of the entry ${JSON.stringify(path)} are wrong.`);
  return { path, offset, sizeBytes };
}

/** Reads the 64-bit numbers in order. */
function readLarge(extra: Buffer): number[] {
  for (let at = 0; at + 4 <= extra.length; ) {
    const lengthBytes = extra.readUInt16LE(at + 2);
    const field = extra.subarray(at + 4, at + 4 + lengthBytes);
    if (extra.readUInt16LE(at) === 1)
      return Array.from({ length: Math.floor(field.length / 8) }, (_, index) => readNumber(field, index * 8));
    at += 4 + lengthBytes;
  }
  return [];
}

function readNumber(bytes: Buffer, at: number): number {
  const value = bytes.readBigUInt64LE(at);
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new ZipMistake('A size in the archive is impossible.');
  return Number(value);
}
