/** Folds the letter case of file names as searches of logs fold it: character by character, Unicode's simple folding. */
import { foldCase } from '@tapedeck/values/case-folding';
import type { MetadataMigration, Queries } from '../schema.ts';

export const nameFolding: MetadataMigration = {
  version: 10,
  name: 'name folding',
  apply: async () => undefined, // the tables stay as they are
  fill: foldFileNames,
};

const filesPerPage = 500; // one message between threads

/** Rewrites the names that an older version folded in another way. */
export async function foldFileNames(queries: Queries): Promise<void> {
  let afterId = '';
  for (;;) {
    const files = await queries
      .selectFrom('files')
      .select(['id', 'filename', 'filename_folded'])
      .where('id', '>', afterId)
      .orderBy('id')
      .limit(filesPerPage)
      .execute();
    for (const { id, filename, filename_folded } of files) {
      const folded = foldCase(filename);
      if (folded === filename_folded) continue;
      await queries.updateTable('files').set({ filename_folded: folded }).where('id', '=', id).execute();
    }
    if (files.length < filesPerPage) return;
    afterId = files.at(-1)!.id;
  }
}
