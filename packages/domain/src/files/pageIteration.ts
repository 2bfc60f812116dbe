/** Iterates over lists that are read in pages. */
import type { FileRecords, StoredFile } from '../ports/files.ts';

/** Yields all items. `readPage` returns up to `limit` items that follow `last`, or the first ones if it is null. */
export async function* walkPages<Item>(
  limit: number,
  readPage: (last: Item | null) => Promise<Item[]>,
): AsyncGenerator<Item> {
  let last: Item | null = null;
  for (;;) {
    const page: Item[] = await readPage(last);
    yield* page;
    last = page.at(-1) ?? null;
    if (last === null || page.length < limit) return;
  }
}

const filesPerTurn = 500; // one query's worth

/** Yields all files of all projects by id. May miss files that are added or removed meanwhile. */
export function walkAllFiles(files: FileRecords): AsyncGenerator<StoredFile> {
  return walkPages(filesPerTurn, last => files.listAll({ afterId: last?.id ?? '', limit: filesPerTurn }));
}
