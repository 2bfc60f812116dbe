/**
 * Records which pieces of the table of sums are valid, and the entries that they were made from: their number per day, and a
 * hash of their identities. A file beside the engine keeps it. After a start, it is valid only as far as entries and pieces
 * still match it.
 */
import { hash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { crc32 } from 'node:zlib';

/** A fingerprint of the entries of a day. An entry never changes. */
export type DayEntries = { entries: number; hash: bigint };

type Piece = { number: number; rows: number };

export type SummedDay = DayEntries & { pieces: readonly Piece[] };

/** Covers everything that arrived before the end. Days are counted since 1970 in UTC, by the entries' times. */
export type SumLedger = { endMicros: number; days: ReadonlyMap<number, SummedDay> };

const version = 2; // of the file format and of the table
const hashMask = (1n << 64n) - 1n;

type WrittenDay = [day: number, entries: number, hash: string, pieces: [number: number, rows: number][]];
type Written = { version: number; kind: string; endMicros: number; days: WrittenDay[] };

export class SumLedgerFiles {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Reads a ledger; null if it is missing or unreadable. */
  async read(kind: string): Promise<SumLedger | null> {
    const text = await readFile(this.#nameFile(kind), 'utf8').catch(() => '');
    const space = text.indexOf(' ');
    const json = text.slice(space + 1);
    if (space <= 0 || String(crc32(json)) !== text.slice(0, space)) return null;
    // The checksum proves that `write` wrote the text, perhaps in another version.
    const written = JSON.parse(json) as Written;
    if (written.version !== version || written.kind !== kind) return null;
    const days = written.days.map(([day, entries, hashed, pieces]): [number, SummedDay] => [
      day,
      { entries, hash: BigInt(hashed), pieces: pieces.map(([number, rows]) => ({ number, rows })) },
    ]);
    return { endMicros: written.endMicros, days: new Map(days) };
  }

  async write(kind: string, { endMicros, days }: SumLedger): Promise<void> {
    const written: Written = {
      version,
      kind,
      endMicros,
      days: [...days].map(([day, { entries, hash, pieces }]) => [
        day,
        entries,
        String(hash),
        pieces.map(({ number, rows }) => [number, rows]),
      ]),
    };
    const json = JSON.stringify(written);
    const file = this.#nameFile(kind);
    await mkdir(this.#directory, { recursive: true, mode: 0o700 });
    await writeFile(`${file}.new`, `${crc32(json)} ${json}`, { mode: 0o600 });
    await rename(`${file}.new`, file);
  }

  async keepOnly(kinds: readonly string[]): Promise<void> {
    const kept = new Set(kinds.map(kind => path.basename(this.#nameFile(kind))));
    for (const name of await readdir(this.#directory).catch(() => []))
      if (!kept.has(name)) await rm(path.join(this.#directory, name), { force: true });
  }

  #nameFile(kind: string): string {
    return path.join(this.#directory, hash('sha256', kind));
  }
}

export function countSummed({ days }: SumLedger): number {
  return days.values().reduce((sum, { entries }) => sum + entries, 0);
}

export function countRows({ pieces }: Pick<SummedDay, 'pieces'>): number {
  return pieces.reduce((sum, { rows }) => sum + rows, 0);
}

export function listPieces({ days }: SumLedger): number[] {
  return [...days.values()].flatMap(({ pieces }) => pieces.map(({ number }) => number));
}

/** Joins different entries of the same day. Hashes are sums, so they add up. */
export function joinDays(one: SummedDay | undefined, other: SummedDay): SummedDay {
  if (one === undefined) return other;
  return {
    entries: one.entries + other.entries,
    hash: (one.hash + other.hash) & hashMask,
    pieces: [...one.pieces, ...other.pieces],
  };
}
