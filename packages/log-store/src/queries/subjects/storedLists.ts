/**
 * Keeps lists of subjects on disk, so that the first list after a start need not read all entries. A list has a
 * fingerprint of the entries that it was made from, and is valid only while exactly those exist. Each line has a checksum,
 * so files need no sync.
 */
import { hash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import type { SubjectList, SubjectSum, TimesUsed } from '@tapedeck/log-entries';

/** Subjects of everything that arrived before the end, and the number of the project's entries until then. */
export type KnownSubjects = {
  endMicros: number;
  entries: number;
  subjects: SubjectList;
  rows: number;
};

const version = 1; // of the file format
const subjectsPerLine = 500; // writing or reading them takes a millisecond or two
const writtenApartMs = 15 * 60_000; // fifty thousand subjects are about 5 MB
const unusedMsMax = 7 * 86_400_000; // a list unused for this long may belong to a deleted project

type Header = Omit<KnownSubjects, 'subjects'> & {
  version: number;
  key: string;
  fingerprint: string;
  subjects: number;
};
type Line = [id: string, count: number, first: number, last: number, names: [string, number, number][]];

export class KeptLists {
  readonly #directory: string;
  readonly #dueAt = new Map<string, number>();
  #isTidy = false;

  constructor(directory: string) {
    this.#directory = directory;
  }

  isDue(key: string): boolean {
    return performance.now() >= (this.#dueAt.get(key) ?? 0);
  }

  /** Finds a list; null if none is valid or readable. `describe` returns the fingerprint of the present entries. */
  async find(key: string, describe: (endMicros: number) => Promise<string>): Promise<KnownSubjects | null> {
    await this.#removeUnused();
    const file = this.#nameFile(key);
    const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n');
    const header = parseLine<Header>(lines[0]);
    if (header?.version !== version || header.key !== key) return null;
    if ((await describe(header.endMicros)) !== header.fingerprint) {
      await this.forget(key);
      return null;
    }
    const subjects = new Map<string, SubjectSum>();
    for (const text of lines.slice(1)) {
      const line = parseLine<Line[]>(text);
      if (line === null) return null;
      for (const [id, count, firstMicros, lastMicros, names] of line)
        subjects.set(id, { count, firstMicros, lastMicros, names: readNames(names) });
      await setImmediate();
    }
    await utimes(file, new Date(), new Date()).catch(() => {}); // at worst the file is removed as unused
    const { endMicros, entries, rows } = header;
    if (subjects.size !== header.subjects) return null; // lines are missing
    return { endMicros, entries, rows, subjects };
  }

  /** A failed write is no error: the next start reads the entries again, only slower. */
  async write(key: string, fingerprint: string, { subjects, ...known }: KnownSubjects): Promise<void> {
    this.#dueAt.set(key, performance.now() + writtenApartMs);
    const header: Header = { ...known, version, key, fingerprint, subjects: subjects.size };
    const texts = [formatLine(header)];
    let some: Line[] = [];
    for (const [id, { count, firstMicros, lastMicros, names }] of subjects) {
      some.push([id, count, firstMicros, lastMicros, writeNames(names)]);
      if (some.length < subjectsPerLine) continue;
      texts.push(formatLine(some));
      some = [];
      await setImmediate();
    }
    texts.push(formatLine(some));
    const file = this.#nameFile(key);
    try {
      await mkdir(this.#directory, { recursive: true, mode: 0o700 });
      await writeFile(`${file}.new`, texts.join('\n'), { mode: 0o600 });
      await rename(`${file}.new`, file);
    } catch {
      await rm(`${file}.new`, { force: true }).catch(() => {});
    }
  }

  /** Deletes a list, so that the disk does not keep names of deleted subjects. */
  async forget(key: string): Promise<void> {
    this.#dueAt.delete(key);
    await rm(this.#nameFile(key), { force: true });
  }

  async #removeUnused(): Promise<void> {
    if (this.#isTidy) return;
    this.#isTidy = true;
    const names = await readdir(this.#directory).catch(() => []); // the directory does not exist before the first list
    for (const name of names) {
      const file = path.join(this.#directory, name);
      const { mtimeMs } = await stat(file);
      if (Date.now() - mtimeMs > unusedMsMax) await rm(file, { force: true });
    }
  }

  #nameFile(key: string): string {
    return path.join(this.#directory, hash('sha256', key));
  }
}

function writeNames(names: SubjectSum['names']): Line[4] {
  return [...names].map(([name, { firstMicros, lastMicros }]) => [name, firstMicros, lastMicros]);
}

function readNames(names: Line[4]): Map<string, TimesUsed> {
  return new Map(names.map(([name, firstMicros, lastMicros]) => [name, { firstMicros, lastMicros }]));
}

function formatLine(value: unknown): string {
  const text = JSON.stringify(value);
  return `${crc32(text)} ${text}`;
}

/** Parses a line; null if it is damaged. */
function parseLine<Value>(line = ''): Value | null {
  const space = line.indexOf(' ');
  const text = line.slice(space + 1);
  // The checksum proves that `formatLine` wrote the text.
  return space > 0 && String(crc32(text)) === line.slice(0, space) ? (JSON.parse(text) as Value) : null;
}
