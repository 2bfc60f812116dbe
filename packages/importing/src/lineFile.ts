/** Reads a log file from a given position in parts of whole lines: plain text, NDJSON, or CSV as objects. */
import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { Failure } from '@tapedeck/values/failure';
import { isObject } from '@tapedeck/values/json';
import { findSeparator, readRecords } from './csvRecords.ts';

export type LineFormat = 'lines' | 'csv';

/** `endsAt`: the byte after the last line. Skips blank lines. */
type LinePart = { lines: string[]; endsAt: number };

const partBytes = 512 * 1024;
const lineBytesMax = 8 * 1024 * 1024; // the service accepts requests of 10 MiB
const headBytes = 1024; // enough to recognise a file by its start
const exportColumns = 'timestamp,level,resource,traceId,parentId,body,metadata';

export class LineFile implements AsyncDisposable {
  readonly #handle: FileHandle;
  readonly #path: string;

  private constructor(handle: FileHandle, path: string) {
    this.#handle = handle;
    this.#path = path;
  }

  static async open(path: string): Promise<LineFile> {
    return new LineFile(await open(path, 'r'), path);
  }

  /** Hashes the first bytes, at most `bytesMax`, so that a growing log keeps its identity. */
  async identify(bytesMax = headBytes): Promise<{ bytes: number; hash: string }> {
    const head = await this.#read(0, Math.min(bytesMax, headBytes));
    return { bytes: head.length, hash: createHash('sha256').update(head).digest('hex') };
  }

  async *readParts(format: LineFormat, from: number): AsyncGenerator<LinePart> {
    if (format === 'lines') yield* this.#readLines(from);
    else yield* this.#readCsv(from);
  }

  async *#readLines(from: number): AsyncGenerator<LinePart> {
    for (let start = from; ; ) {
      const { bytes, isEnd } = await this.#readUntil(start, part => part.lastIndexOf(10) + 1);
      const length = isEnd ? bytes.length : bytes.lastIndexOf(10) + 1;
      if (length === 0) return;
      const lines = bytes.subarray(0, length).toString('utf8').split(/\r?\n/);
      if (start === 0 && /^\uFEFF?\s*\[/.test(lines[0] ?? '') && !/^\uFEFF?\s*\[[^{"\]]/.test(lines[0] ?? ''))
        throw new Failure('bad_request', `${this.#path} is one list of JSON: write an object on each line.`);
      start += length;
      yield { lines: lines.filter(line => line.trim() !== ''), endsAt: start };
    }
  }

  async *#readCsv(from: number): AsyncGenerator<LinePart> {
    const first = await this.#readUntil(0, part => part.indexOf(10) + 1);
    const separator = findSeparator(first.bytes);
    const [head] = readRecords(first.bytes, { separator, isEnd: first.isEnd });
    if (head === undefined) return;
    const columns = head.cells.map((name, index) =>
      (index === 0 ? name.replace(/^\uFEFF/, '') : name).trim(),
    );
    const isExport = columns.join(',') === exportColumns;
    for (let start = Math.max(from, head.endsAt); ; ) {
      const count = (part: Buffer, isEnd = false) => readRecords(part, { separator, isEnd });
      const { bytes, isEnd } = await this.#readUntil(start, part => count(part).at(-1)?.endsAt ?? 0);
      const records = count(bytes, isEnd);
      const last = records.at(-1);
      if (last === undefined) return;
      start += last.endsAt;
      const rows = records.filter(({ cells }) => cells.some(cell => cell !== ''));
      yield { lines: rows.map(({ cells }) => writeObject(columns, cells, isExport)), endsAt: start };
    }
  }

  /** Reads ever more, until it finds a whole record or line. */
  async #readUntil(
    start: number,
    findEnd: (bytes: Buffer) => number,
  ): Promise<{ bytes: Buffer; isEnd: boolean }> {
    for (let length = partBytes; ; length *= 2) {
      const bytes = await this.#read(start, length);
      const isEnd = bytes.length < length;
      if (isEnd || findEnd(bytes) > 0) return { bytes, isEnd };
      if (length >= lineBytesMax)
        throw new Failure('bad_request', `${this.#path} has a line of more than ${lineBytesMax} bytes.`);
    }
  }

  async #read(position: number, length: number): Promise<Buffer> {
    const buffer = Buffer.alloc(length);
    let filled = 0;
    while (filled < length) {
      const { bytesRead } = await this.#handle.read(buffer, filled, length - filled, position + filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return buffer.subarray(0, filled);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handle.close();
  }
}

const exportNames: Readonly<Record<string, string>> = {
  traceId: 'imported.traceId',
  parentId: 'imported.parentId',
};

/** Exports of this service hold metadata as JSON, and an apostrophe before text that a spreadsheet would run. */
function writeObject(columns: readonly string[], cells: readonly string[], isExport: boolean): string {
  const pairs = cells.flatMap((cell, index): [string, unknown][] => {
    const column = columns[index] || `column${index + 1}`;
    const text = isExport ? cell.replace(/^'(?=[=+\-@\t\r])/, '') : cell;
    if (text === '') return [];
    if (column === 'metadata') return [[column, parseObject(text) ?? text]];
    return [[(isExport ? exportNames[column] : undefined) ?? column, text]];
  });
  return JSON.stringify(Object.fromEntries(pairs));
}

function parseObject(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}
