/**
 * Gives entries of earlier versions their patterns. SQL cannot express the rules, so the bodies are read here, and
 * ClickHouse gets the patterns as a table in memory, from which it rewrites one column. After a kill, unfinished
 * entries still have pattern 0, and a lost table has no patterns, so nothing becomes wrong.
 */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { PatternReader } from '@tapedeck/log-patterns';
import { describeOutage } from '../../failures.ts';
import { awaitAnswer, openRequest, readChunks, readWholeAnswer } from '../../writer/engine/requests.ts';
import { runCommand } from '../../writer/engine/statements.ts';
import type { EngineAccess } from '../../writer/engine/supervision.ts';
import { mutate } from '../../writer/schema/mutations.ts';
import { localTable, patternTable } from '../../writer/schema/schema.ts';
import { readSettings } from './survey.ts';

type Filling = {
  access: EngineAccess;
  /** The number of entries whose patterns may be in memory at a time, at about 60 bytes each. */
  entriesMax: number;
  signal: AbortSignal;
};

/** A table in memory is empty after a restart. It is never dropped, because the engine may repeat a statement that names it. */
const patternTableSql = `CREATE TABLE IF NOT EXISTS ${patternTable}
  (timestamp DateTime64(6, 'UTC'), identity UInt64, pattern UInt64)
  ENGINE = Join(ANY, LEFT, timestamp, identity) SETTINGS persistent = 0`;

/** Fills the patterns of the partitions in steps, and yields the number of entries filled in each. */
export async function* fillPatterns(filling: Filling, partitions: readonly string[]): AsyncGenerator<number> {
  const { access, signal } = filling;
  await runCommand(access, patternTableSql, { signal });
  for (;;) {
    await runCommand(access, `TRUNCATE TABLE ${patternTable}`, { signal });
    const { count, first, last } = await computePatterns(filling, partitions);
    if (count === 0) break;
    const update = `UPDATE pattern = joinGet('${patternTable}', 'pattern', timestamp, identity)
      ${partitions.length === 1 ? `IN PARTITION ID '${partitions[0]}'` : ''} WHERE pattern = 0
      AND timestamp BETWEEN fromUnixTimestamp64Micro(${first}, 'UTC') AND fromUnixTimestamp64Micro(${last}, 'UTC')`;
    if (await mutate(access, update, signal)) yield count; // otherwise a deletion went first
  }
}

/** The number of computed patterns, and the first and last time of their entries. */
type Computed = { count: number; first: number; last: number };

/** Streams entries from the engine and their patterns back into it, and holds none of them. */
async function computePatterns(
  { access, entriesMax, signal }: Filling,
  partitions: readonly string[],
): Promise<Computed> {
  const endpoint = access.endpoint();
  if (endpoint === null) throw describeOutage();
  const ids = partitions.map(id => `'${id}'`).join(', '); // letters, digits and dashes
  const reading = openRequest(endpoint, {
    parameters: {
      ...readSettings,
      query: `SELECT timestamp, identity, body FROM ${localTable}
        WHERE _partition_id IN (${ids}) AND pattern = 0 LIMIT ${entriesMax} FORMAT RowBinary`,
    },
    signal,
  });
  reading.end();
  const writing = openRequest(endpoint, {
    parameters: { async_insert: 0, query: `INSERT INTO ${patternTable} FORMAT RowBinary` },
    signal,
  });
  const answered = awaitAnswer(writing).then(readWholeAnswer);
  answered.catch(() => {}); // awaited below
  const bodies = readChunks<Buffer>(await awaitAnswer(reading));
  const computed = { count: 0, first: Number.POSITIVE_INFINITY, last: Number.NEGATIVE_INFINITY };
  const rows = Readable.from(readPatterns(bodies, computed), { objectMode: false });
  await Promise.race([pipeline(rows, writing), answered]);
  await answered;
  return computed;
}

const keyBytes = 16; // the time and the identity, eight bytes each
const rowBytes = keyBytes + 8;

/** Turns rows of time, identity and body into rows of time, identity and pattern. */
async function* readPatterns(chunks: AsyncIterable<Buffer>, computed: Computed): AsyncGenerator<Buffer> {
  const reader = new PatternReader();
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const rows = Buffer.allocUnsafe(Math.ceil(bytes.length / (keyBytes + 1)) * rowBytes);
    let written = 0;
    let position = 0;
    for (let next = findBody(bytes, position); next !== null; next = findBody(bytes, position)) {
      reader.read(bytes, next.start, next.end);
      bytes.copy(rows, written, position, position + keyBytes);
      rows.writeUInt32LE(reader.low, written + keyBytes);
      rows.writeUInt32LE(reader.high, written + keyBytes + 4);
      written += rowBytes;
      const micros = bytes.readUInt32LE(position) + bytes.readInt32LE(position + 4) * 2 ** 32;
      computed.first = Math.min(computed.first, micros);
      computed.last = Math.max(computed.last, micros);
      if (reader.low !== 0 || reader.high !== 0) computed.count++; // an entry whose pattern is 0 keeps it forever
      position = next.end;
    }
    rest = bytes.subarray(position);
    if (written > 0) yield rows.subarray(0, written);
  }
}

/** Returns null if the row is incomplete. Lengths are written seven bits at a time, the lowest first. */
function findBody(bytes: Buffer, rowStart: number): { start: number; end: number } | null {
  let length = 0;
  for (let at = rowStart + keyBytes, shift = 0; at < bytes.length; at++, shift += 7) {
    const byte = bytes[at]!;
    length += (byte & 0x7f) * 2 ** shift;
    if (byte >= 0x80) continue;
    const end = at + 1 + length;
    return end <= bytes.length ? { start: at + 1, end } : null;
  }
  return null;
}
