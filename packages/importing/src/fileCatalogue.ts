/**
 * Lists the files of another service by pages, finally oldest first. If a file is deleted meanwhile, later ones move up, and one may slip to a page
 * that was already read. So it reads the list again until it finds nothing new.
 */
import { open } from 'node:fs/promises';
import type { ImportState } from './importState.ts';
import type { FilePage } from './source.ts';
import type { SourceFile } from './sourceShapes.ts';

const readingsMax = 5;
const draftName = 'files.ndjson';

type Lists = { listFiles(page: number): Promise<FilePage> };

export class FileCatalogue {
  readonly #source: Lists;
  readonly #folder: ImportState;
  readonly #sinceMs: number | null;
  readonly #known = new Set<string>();

  constructor(source: Lists, folder: ImportState, sinceMs: number | null) {
    this.#source = source;
    this.#folder = folder;
    this.#sinceMs = sinceMs;
  }

  /** The number of files listed so far. */
  get size(): number {
    return this.#known.size;
  }

  /** Yields files that were not listed before, oldest first. */
  async *readNew(): AsyncGenerator<SourceFile> {
    const file = this.#folder.file(draftName);
    await using draft = await open(file, 'w+');
    const lines: { position: number; bytes: number }[] = [];
    let position = 0;
    for await (const page of this.#readPages()) {
      const line = Buffer.from(JSON.stringify(page));
      await draft.write(line);
      lines.push({ position, bytes: line.length });
      position += line.length;
    }
    for (const { position: start, bytes } of lines.reverse()) {
      const { buffer } = await draft.read(Buffer.alloc(bytes), 0, bytes, start);
      // This method wrote it above.
      yield* (JSON.parse(buffer.toString()) as SourceFile[]).reverse();
    }
  }

  /** Yields files newest first, as the source lists them. */
  async *#readPages(): AsyncGenerator<SourceFile[]> {
    for (let reading = 1; reading <= readingsMax; reading++) {
      let listed = 0;
      let total: number | null = null;
      const met = new Set<string>();
      for (let page = 1; ; page++) {
        const answer = await this.#source.listFiles(page);
        total = answer.total;
        const fresh = answer.files.filter(({ id }) => !this.#known.has(id));
        for (const { id } of answer.files) met.add(id);
        for (const { id } of fresh) this.#known.add(id);
        const wanted = fresh.filter(file => this.#isWanted(file));
        if (wanted.length > 0) yield wanted;
        listed += fresh.length;
        if (answer.isLast) break;
      }
      const isComplete = total === null || met.size >= total;
      if (isComplete || (listed === 0 && reading > 1)) return;
    }
  }

  #isWanted({ id, createdAtMs }: SourceFile): boolean {
    const isWanted = this.#sinceMs === null || createdAtMs === null || createdAtMs >= this.#sinceMs;
    if (!isWanted) this.#unwanted.add(id);
    return isWanted;
  }

  readonly #unwanted = new Set<string>();

  /** The number of files to import. */
  get wanted(): number {
    return this.#known.size - this.#unwanted.size;
  }
}
