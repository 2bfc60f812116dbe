/** Changes a file's record and all rows that depend on it in one transaction. */

import type { FileRecords, StoredFile } from '@tapedeck/domain/ports/files';
import type { BatchQuery } from '@tapedeck/metadata-database';
import { foldCase } from '@tapedeck/values/case-folding';
import type { FileRow, MetadataDatabase, Queries } from '../schema.ts';
import { changeAsRead, findFileRow, isUnchanged } from './conditionalUpdates.ts';
import { composeChange, composeRelisting } from './listedFiles.ts';
import { parseFile } from './rows.ts';
import { parseRow } from './trash.ts';

type Changed = Pick<
  FileRow,
  'filename' | 'filename_folded' | 'path' | 'metadata' | 'retention_exempt' | 'visibility'
>;

export async function updateFile(
  database: MetadataDatabase,
  { id }: Pick<StoredFile, 'id'>,
  change: Parameters<FileRecords['update']>[1],
): Promise<StoredFile | null> {
  const read = () => findFileRow(database.reading, id);
  return await changeAsRead(read, async row => {
    const file = parseFile(row);
    const changes = change(file);
    const changed: Changed = {
      filename: changes.filename,
      filename_folded: foldCase(changes.filename),
      path: changes.path,
      metadata: JSON.stringify(changes.metadata),
      retention_exempt: changes.retentionExempt ? 1 : 0,
      visibility: changes.visibility,
    };
    await database.transactBatch(queries => composeUpdate(queries, row, changed));
    return { ...file, ...changes };
  });
}

function composeUpdate(queries: Queries, row: FileRow, changed: Changed): BatchQuery[] {
  const [usage, change] = composeChange(queries, row.project, row.position);
  const update = queries.updateTable('files').set(changed).where(isUnchanged(row));
  return [
    usage,
    { query: update, rowsMin: 1 },
    ...composeRelisting(queries, row, { ...row, ...changed }),
    change,
  ];
}

/** Lists and counts do not depend on where bytes are stored, so nothing else changes. */
export async function relocateFile(
  database: MetadataDatabase,
  { id, blobSecret: before }: Pick<StoredFile, 'id' | 'blobSecret'>,
  blobSecret: string | null,
): Promise<boolean> {
  return await database.transact(async queries => {
    const listed = queries.updateTable('files').set({ blob_secret: blobSecret }).where('id', '=', id);
    const from = listed.where('blob_secret', before === null ? 'is' : '=', before);
    const [updated] = await from.execute();
    if (updated?.numUpdatedRows === 1n) return true;
    const query = queries.selectFrom('trashed_files').selectAll().where('id', '=', id);
    const trashed = await query.executeTakeFirst();
    if (trashed === undefined) return false;
    const row = parseRow(trashed);
    if ((row.blob_secret ?? null) !== before) return false;
    const text = JSON.stringify({ ...row, blob_secret: blobSecret });
    const change = queries.updateTable('trashed_files').set({ row: text }).where('id', '=', id);
    const [changed] = await change.where('row', '=', trashed.row).execute();
    return changed?.numUpdatedRows === 1n;
  });
}
