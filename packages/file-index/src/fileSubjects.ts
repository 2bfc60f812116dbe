/** Finds the subjects that files name, and facts about a subject, in the blocks of the index. */
import { takeTurns } from '@tapedeck/concurrency/turns';
import {
  type SubjectList,
  type SubjectPaths,
  type SubjectSum,
  type TimesUsed,
  widenTimes,
} from '@tapedeck/log-entries';
import type { Block, BlockColumns, ProjectIndex } from './block.ts';
import type { FileProfile, FileUsage } from './fileQueries.ts';

const hoursOfWeek = 168;
const hourMs = 3_600_000;
const mondayMs = 4 * 24 * hourMs; // the first Monday of 1970

/** Caches the subject lists of an index for as long as the index exists. */
export class FileSubjects {
  readonly #listed = new WeakMap<ProjectIndex, Map<string, Promise<SubjectList>>>();

  list(index: ProjectIndex, paths: SubjectPaths): Promise<SubjectList> {
    let known = this.#listed.get(index);
    if (known === undefined) {
      known = new Map();
      this.#listed.set(index, known);
    }
    const key = JSON.stringify([paths.idPaths, paths.namePaths]);
    let listed = known.get(key);
    if (listed === undefined) {
      listed = listSubjects(index.blocks.values(), paths);
      known.set(key, listed);
    }
    return listed;
  }
}

type Summing = TimesUsed & { count: number; names: Map<string, TimesUsed> };

async function listSubjects(blocks: Iterable<Block>, paths: SubjectPaths): Promise<SubjectList> {
  const subjects = new Map<string, Summing>();
  await inTurns(blocks, block => {
    for (const [row, ids] of readTexts(block, paths.idPaths)) {
      const times = timesOf(block.columns, row);
      for (const id of ids) {
        const sum = subjects.get(id);
        if (sum === undefined) subjects.set(id, { ...times, count: 1, names: new Map() });
        else Object.assign(sum, widenTimes(sum, times), { count: sum.count + 1 });
      }
    }
    const named = readTexts(block, paths.namePaths);
    for (const [row, ids] of readTexts(block, paths.idPaths))
      for (const name of named.get(row) ?? [])
        for (const id of ids) {
          const names: Map<string, TimesUsed> = subjects.get(id)?.names ?? new Map();
          names.set(name, widenTimes(names.get(name), timesOf(block.columns, row)));
        }
  });
  const sums: ReadonlyMap<string, SubjectSum> = subjects;
  return sums;
}

/** Returns null if no file names the subject. */
export async function describeSubject(
  { blocks }: ProjectIndex,
  { idPaths, id, paths }: { idPaths: readonly string[]; id: string; paths: readonly string[] },
): Promise<FileProfile | null> {
  const types = { image: 0, video: 0, audio: 0 };
  const hours = Array.from({ length: hoursOfWeek }, () => 0);
  const values = new Map<string, TimesUsed & { path: string; value: string }>();
  const seen: TimesUsed[] = [];
  let [files, bytes] = [0, 0];
  await inTurns(blocks.values(), block => {
    const rows = findRows(block, idPaths, id);
    if (rows.length === 0) return;
    const { columns } = block;
    const texts = paths.map(path => ({ path, rows: readTexts(block, [path]) }));
    for (const row of rows) {
      const used = timesOf(columns, row);
      files++;
      bytes += columns.numbers.size[row] ?? 0;
      seen[0] = widenTimes(seen[0], used);
      const { texts: names, ids } = columns.shared.type;
      const type = names.plain(ids[row] ?? 0);
      if (type === 'image' || type === 'video' || type === 'audio') types[type]++;
      const hour = findHour(used.firstMicros / 1000);
      hours[hour] = (hours[hour] ?? 0) + 1;
      for (const { path, rows: textRows } of texts)
        for (const value of textRows.get(row) ?? []) {
          const key = `${path}\0${value}`;
          values.set(key, { path, value, ...widenTimes(values.get(key), used) });
        }
    }
  });
  const [times] = seen;
  return times === undefined ? null : { ...times, files, bytes, types, hours, values: [...values.values()] };
}

/** Sums the files that have one of the given texts at a path. */
export async function sumFiles(
  { blocks }: ProjectIndex,
  { path, texts }: { path: string; texts: ReadonlySet<string> },
): Promise<Map<string, FileUsage>> {
  const sums = new Map<string, FileUsage>();
  if (texts.size === 0) return sums;
  await inTurns(blocks.values(), block => {
    for (const [row, found] of readTexts(block, [path]))
      for (const text of found) {
        if (!texts.has(text)) continue;
        const { files, bytes } = sums.get(text) ?? { files: 0, bytes: 0 };
        sums.set(text, { files: files + 1, bytes: bytes + (block.columns.numbers.size[row] ?? 0) });
      }
  });
  return sums;
}

/** Returns the hour of the week in UTC, counted from Monday at midnight. */
function findHour(ms: number): number {
  const hour = Math.floor((ms - mondayMs) / hourMs) % hoursOfWeek;
  return hour < 0 ? hour + hoursOfWeek : hour;
}

/** Returns the rows that exist, each once. */
function findRows({ columns, deleted }: Block, idPaths: readonly string[], id: string): number[] {
  const held = idPaths
    .flatMap(path => columns.paths.get(path) ?? [])
    .filter(({ hashes }) => hashes.mayHold(id));
  if (held.length === 0) return [];
  const meant = columns.values.markEqual(id);
  if (!meant.includes(1)) return [];
  const found = new Set<number>();
  for (const { rows, ids } of held)
    for (let index = 0; index < rows.length; index++) {
      const row = rows[index] ?? 0;
      if (meant[ids[index] ?? 0] === 1 && deleted?.[row] !== 1) found.add(row);
    }
  return [...found];
}

/** Maps each row to its distinct, non-empty texts at the paths. */
function readTexts({ columns, deleted }: Block, paths: readonly string[]): Map<number, Set<string>> {
  const texts = new Map<number, Set<string>>();
  for (const path of paths) {
    const column = columns.paths.get(path);
    if (column === undefined) continue;
    for (let index = 0; index < column.rows.length; index++) {
      const row = column.rows[index] ?? 0;
      if (deleted?.[row] === 1) continue;
      const text = columns.values.plain(column.ids[index] ?? 0);
      if (text === '') continue;
      const known = texts.get(row);
      if (known === undefined) texts.set(row, new Set([text]));
      else known.add(text);
    }
  }
  return texts;
}

/** Counts the files that have each path. */
export async function countPaths({ blocks }: ProjectIndex): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  await inTurns(blocks.values(), ({ columns, deleted }) => {
    for (const [path, { rows }] of columns.paths) {
      const there = new Set(rows);
      if (deleted !== null) for (const row of there) if (deleted[row] === 1) there.delete(row);
      if (there.size > 0) counts.set(path, (counts.get(path) ?? 0) + there.size);
    }
  });
  return counts;
}

function timesOf({ listedAt }: BlockColumns, row: number): TimesUsed {
  const micros = (listedAt[row] ?? 0) * 1000;
  return { firstMicros: micros, lastMicros: micros };
}

async function inTurns(blocks: Iterable<Block>, visit: (block: Block) => void): Promise<void> {
  const pause = takeTurns(1);
  for (const block of blocks) {
    visit(block);
    await pause();
  }
}
