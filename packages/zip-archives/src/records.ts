/** Writes the records of the format, byte by byte (APPNOTE.TXT 6.3.10, sections 4.3 and 4.5). */

/** Sizes and offsets up to this fit into 32 bits; 0xffffffff means that a 64-bit field follows. */
export const smallSizeBytesMax = 0xffff_fffe;
const countMax = 0xfffe;

const signatures = {
  local: 0x04034b50,
  central: 0x02014b50,
  descriptor: 0x08074b50,
  end: 0x06054b50,
  largeEnd: 0x06064b50,
  largeEndPlace: 0x07064b50,
};
const plainVersion = 20; // folders and deflate
const largeVersion = 45; // 64-bit sizes
const unix = 3 << 8; // the origin system, so that files get these permissions
const rights = (0o100644 << 16) >>> 0;
const flags = 0x0808; // sizes follow the bytes; names are UTF-8
const largeField = 0x0001;
const timeField = 0x5455;

export type EntryFacts = { nameBytes: Buffer; modifiedAt: Date; compressed: boolean; large: boolean };
type EntrySums = { checksum: number; sizeBytes: number; storedBytes: number };
export type EntryPlace = EntrySums & { offset: number };

export function writeLocalHeader(facts: EntryFacts): Buffer {
  const sizes = facts.large ? 0xffff_ffff : 0;
  const extra = [...(facts.large ? writeLargeField([0, 0]) : []), ...writeTimeField(facts.modifiedAt)];
  return join([
    uint32(signatures.local),
    ...writeShared(facts, facts.large),
    uint32(0),
    uint32(sizes),
    uint32(sizes),
    uint16(facts.nameBytes.byteLength),
    uint16(lengthOf(extra)),
    facts.nameBytes,
    ...extra,
  ]);
}

/** Writes the record after an entry's bytes. */
export function writeDescriptor(facts: EntryFacts, sums: EntrySums): Buffer {
  const size = facts.large ? uint64 : uint32;
  return join([
    uint32(signatures.descriptor),
    uint32(sums.checksum),
    size(sums.storedBytes),
    size(sums.sizeBytes),
  ]);
}

export function writeCentralHeader(facts: EntryFacts, place: EntryPlace): Buffer {
  const values = [place.sizeBytes, place.storedBytes, place.offset] as const;
  const large = values.filter(value => value > smallSizeBytesMax);
  const extra = [...(large.length > 0 ? writeLargeField(large) : []), ...writeTimeField(facts.modifiedAt)];
  const isLarge = facts.large || large.length > 0;
  return join([
    uint32(signatures.central),
    uint16(unix | (isLarge ? largeVersion : plainVersion)),
    ...writeShared(facts, isLarge),
    uint32(place.checksum),
    uint32(cap(place.storedBytes)),
    uint32(cap(place.sizeBytes)),
    uint16(facts.nameBytes.byteLength),
    uint16(lengthOf(extra)),
    uint16(0), // comment
    uint16(0), // disk
    uint16(0), // internal attributes
    uint32(rights),
    uint32(cap(place.offset)),
    facts.nameBytes,
    ...extra,
  ]);
}

/** Writes the end of an archive whose list of entries begins at `offset`. */
export function writeEnd(list: { entries: number; offset: number; sizeBytes: number }): Buffer {
  const { entries, offset, sizeBytes } = list;
  const large = entries > countMax || offset > smallSizeBytesMax || sizeBytes > smallSizeBytesMax;
  const count = uint16(Math.min(entries, 0xffff));
  return join([
    ...(large ? writeLargeEnd(list) : []),
    uint32(signatures.end),
    uint16(0),
    uint16(0),
    count,
    count,
    uint32(cap(sizeBytes)),
    uint32(cap(offset)),
    uint16(0),
  ]);
}

function writeLargeEnd({
  entries,
  offset,
  sizeBytes,
}: {
  entries: number;
  offset: number;
  sizeBytes: number;
}) {
  return [
    uint32(signatures.largeEnd),
    uint64(44), // the number of bytes that follow in this record
    uint16(unix | largeVersion),
    uint16(largeVersion),
    uint32(0),
    uint32(0),
    uint64(entries),
    uint64(entries),
    uint64(sizeBytes),
    uint64(offset),
    uint32(signatures.largeEndPlace),
    uint32(0),
    uint64(offset + sizeBytes),
    uint32(1),
  ];
}

/** Writes the fields at the start of both headers of an entry. */
function writeShared({ compressed, modifiedAt }: EntryFacts, isLarge: boolean): Buffer[] {
  const { time, date } = describeDosTime(modifiedAt);
  return [
    uint16(isLarge ? largeVersion : plainVersion),
    uint16(flags),
    uint16(compressed ? 8 : 0),
    uint16(time),
    uint16(date),
  ];
}

function writeLargeField(values: readonly number[]): Buffer[] {
  return [uint16(largeField), uint16(values.length * 8), ...values.map(uint64)];
}

/** Writes the exact second in UTC. The older field has no time zone. */
function writeTimeField(modifiedAt: Date): Buffer[] {
  const seconds = Buffer.alloc(4);
  const range = 2 ** 31;
  seconds.writeInt32LE(Math.max(-range, Math.min(range - 1, Math.floor(modifiedAt.getTime() / 1000))));
  return [uint16(timeField), uint16(5), Buffer.of(1), seconds];
}

/** Returns the format's older time, which counts from 1980 in steps of two seconds. */
function describeDosTime(at: Date): { time: number; date: number } {
  const year = at.getUTCFullYear();
  if (year < 1980) return { time: 0, date: 0x21 };
  if (year > 2107) return { time: 0xbf7d, date: 0xff9f };
  return {
    time: (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1),
    date: ((year - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate(),
  };
}

function cap(value: number): number {
  return Math.min(value, 0xffff_ffff);
}

function lengthOf(parts: readonly Buffer[]): number {
  return parts.reduce((sum, part) => sum + part.byteLength, 0);
}

function join(parts: readonly Buffer[]): Buffer {
  return Buffer.concat(parts);
}

function uint16(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(2);
  bytes.writeUInt16LE(value);
  return bytes;
}

function uint32(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function uint64(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}
