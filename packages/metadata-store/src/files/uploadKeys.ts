/** Stores Idempotency-Keys of uploads as rows. One transaction writes a key and its file. */

import type { StoredFile, StoredUpload, UploadKey } from '@tapedeck/domain/ports/files';
import type { BatchQuery } from '@tapedeck/metadata-database';
import type { MetadataDatabase, Queries } from '../schema.ts';
import { uploadKeys } from '../tables/files.ts';
import { explainRefusal, isRefusal, makeInserts } from './inserts.ts';
import { parseFile } from './rows.ts';

export function buildUploadKeys(database: MetadataDatabase) {
  const composeInsert = makeInserts();
  const find = (scopeHash: string, now: number) => findUpload(database, scopeHash, now);
  return {
    findUpload: find,
    insertKeyed: async (file: StoredFile, key: UploadKey): Promise<boolean> => {
      try {
        await database.transactBatch(queries => [
          ...composeKey(queries, file, key),
          ...composeInsert(queries, file),
        ]);
        return true;
      } catch (error) {
        if (isRefusal(error) && (await find(key.scopeHash, file.createdAt)) !== null) return false;
        throw await explainRefusal(database, file.project, error);
      }
    },
    removeUploadKeys: async (now: number): Promise<void> => {
      await database.transactBatch(queries => [
        { query: queries.deleteFrom('upload_keys').where('expires_at', '<=', now) },
      ]);
    },
  };
}

/** Frees a key that has expired or whose file was deleted, then takes it. */
function composeKey(queries: Queries, file: StoredFile, key: UploadKey): BatchQuery[] {
  const row = uploadKeys.compose({ ...key, fileId: file.id });
  return [
    {
      query: queries
        .deleteFrom('upload_keys')
        .where('scope_hash', '=', row.scope_hash)
        .where(({ eb, or, not, exists, selectFrom }) =>
          or([
            eb('expires_at', '<=', file.createdAt),
            not(exists(selectFrom('files').select('id').whereRef('files.id', '=', 'upload_keys.file_id'))),
          ]),
        ),
    },
    { query: queries.insertInto('upload_keys').values(row) },
  ];
}

async function findUpload(
  { reading }: MetadataDatabase,
  scopeHash: string,
  now: number,
): Promise<StoredUpload | null> {
  const row = await reading
    .selectFrom('upload_keys')
    .innerJoin('files', 'files.id', 'upload_keys.file_id')
    .selectAll('files')
    .select('upload_keys.content_hash')
    .where('upload_keys.scope_hash', '=', scopeHash)
    .where('upload_keys.expires_at', '>', now)
    .executeTakeFirst();
  return row === undefined ? null : { contentHash: row.content_hash, file: parseFile(row) };
}
