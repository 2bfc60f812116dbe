/** Iterates over all files of all projects. */
import type { FileRecords, StoredFile } from '../ports/files.ts';

const filesPerTurn = 500; // one query's worth

/** Yields files by id. May miss files that are added or removed meanwhile. */
export async function* walkAllFiles(files: FileRecords): AsyncGenerator<StoredFile> {
  let afterId = '';
  for (;;) {
    const some = await files.listAll({ afterId, limit: filesPerTurn });
    yield* some;
    const last = some.at(-1);
    if (last === undefined) return;
    afterId = last.id;
  }
}
