/** Counts files and bytes per day of upload. Every change updates the counts, so a year takes a few hundred rows. */

import type { FileDay } from '@tapedeck/domain/ports/files';
import { sql } from 'kysely';
import type { FileRow, Queries } from '../schema.ts';
import { dayOf } from './rows.ts';

export function composeDayCount(
  queries: Queries,
  { project, day, bytes }: { project: string; day: number; bytes: number },
) {
  return queries
    .insertInto('file_days')
    .values({ project, day, files: 1, bytes })
    .onConflict(conflict =>
      conflict
        .columns(['project', 'day'])
        .doUpdateSet({ files: sql`file_days.files + 1`, bytes: sql`file_days.bytes + excluded.bytes` }),
    );
}

export function composeDayRemoval(queries: Queries, row: FileRow) {
  return queries
    .updateTable('file_days')
    .set({ files: sql`files - 1`, bytes: sql`bytes - ${row.size_bytes}` })
    .where('project', '=', row.project)
    .where('day', '=', dayOf(row.created_at));
}

export async function listFileDays(
  reading: Queries,
  project: string,
  { fromDay, toDay }: { fromDay: number; toDay: number },
): Promise<FileDay[]> {
  return reading
    .selectFrom('file_days')
    .select(['day', 'files', 'bytes'])
    .where('project', '=', project)
    .where('day', '>=', fromDay)
    .where('day', '<=', toDay)
    .where('files', '>', 0)
    .orderBy('day')
    .execute();
}
