/** Iterates over all files of all projects. */
import type { FileRecords, StoredFile } from '../ports/files.ts';
import { walkPages } from './pages.ts';

const filesPerTurn = 500; // one query's worth

/** Yields files by id. May miss files that are added or removed meanwhile. */
export function walkAllFiles(files: FileRecords): AsyncGenerator<StoredFile> {
  return walkPages(filesPerTurn, last => files.listAll({ afterId: last?.id ?? '', limit: filesPerTurn }));
}
