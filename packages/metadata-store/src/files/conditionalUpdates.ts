/** Changes rows of files exactly as they were read, because lists and counts are changed with them. */
import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import type { FileRow, Queries, Schema } from '../schema.ts';
import { isRefusal } from './inserts.ts';

/** Each refusal means that another request changed the file. So many in a row mean that no try can succeed. */
const triesMax = 1000; // more than the requests that change one file at a time

/** Makes a query touch no row if the file has changed since. All other columns keep their values. */
export function isUnchanged(row: FileRow) {
  return ({ and, eb }: ExpressionBuilder<Schema, 'files'>): Expression<SqlBool> =>
    and([
      eb('id', '=', row.id),
      eb('filename', '=', row.filename),
      eb('path', '=', row.path),
      eb('metadata', '=', row.metadata),
      eb('retention_exempt', '=', row.retention_exempt),
      eb('visibility', row.visibility === null ? 'is' : '=', row.visibility),
      eb('blob_secret', row.blob_secret === null ? 'is' : '=', row.blob_secret),
    ]);
}

export function findFileRow(reading: Queries, id: string): Promise<FileRow | undefined> {
  return reading.selectFrom('files').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Reads the row again if another request changed it first. Returns null if it is gone. */
export async function changeAsRead<Row, Result>(
  read: () => Promise<Row | undefined>,
  change: (row: Row) => Promise<Result>,
): Promise<Result | null> {
  for (let tries = 1; ; tries += 1) {
    const row = await read();
    if (row === undefined) return null;
    try {
      return await change(row);
    } catch (error) {
      if (!isRefusal(error) || tries === triesMax) throw error;
    }
  }
}
