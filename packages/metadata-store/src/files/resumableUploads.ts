/** Stores resumable uploads as rows. Only an upload's holder changes its row. */

import { clockErrorMsMax } from '@tapedeck/domain/operations/leases';
import type { BegunLimits, ResumableUploadRecords, Upload } from '@tapedeck/domain/ports/resumableUploads';
import { ServiceError } from '@tapedeck/domain/vocabulary';
import type { BatchQuery, RowOf } from '@tapedeck/metadata-database';
import { sql } from 'kysely';
import type { MetadataDatabase, Queries } from '../schema.ts';
import { resumableUploads } from '../tables/files.ts';
import { emptyTrash, explainRefusal, makeInserts } from './inserts.ts';

type UploadRow = RowOf<typeof resumableUploads>;

export function buildResumableUploads(database: MetadataDatabase): ResumableUploadRecords {
  return {
    ...buildFinding(database),
    ...buildHolding(database),
    create: (upload, limits) =>
      database.transact(async queries => {
        await requireCapacity(queries, upload, limits);
        const begun = {
          ...resumableUploads.compose(upload),
          charged_bytes: upload.lengthBytes ?? upload.sizeBytes,
          holder: '',
          held_until: 0,
        };
        await queries.insertInto('resumable_uploads').values(begun).execute();
      }),
    finish: makeFinish(database),
  };
}

function buildFinding(database: MetadataDatabase): Pick<ResumableUploadRecords, 'find' | 'listExpired'> {
  const uploads = database.reading.selectFrom('resumable_uploads');
  return {
    find: async id => {
      return resumableUploads.parseFound(await uploads.selectAll().where('id', '=', id).executeTakeFirst());
    },
    listExpired: async ({ now, afterId, limit }) => {
      const expired = uploads.select('id').where('expires_at', '<=', now).where('id', '>', afterId);
      return (await expired.orderBy('id').limit(limit).execute()).map(({ id }) => id);
    },
  };
}

/** Updates the row only while the holder has it. */
function updateHeld(queries: Queries, id: string, holder: string) {
  return queries.updateTable('resumable_uploads').where('id', '=', id).where('holder', '=', holder);
}

function buildHolding(
  database: MetadataDatabase,
): Omit<ResumableUploadRecords, 'find' | 'listExpired' | 'create' | 'finish'> {
  /** Returns false if no row was changed. */
  const change = async (compose: (queries: Queries) => BatchQuery['query']): Promise<boolean> => {
    const [result] = await database.transactBatch(queries => [{ query: compose(queries) }]);
    return (result?.numAffectedRows ?? 0n) > 0n;
  };
  return {
    hold: async (id, { holder, heldUntil }, now) => {
      const results = await database.transactBatch(queries => [
        {
          query: queries
            .updateTable('resumable_uploads')
            .set({ holder, held_until: heldUntil })
            .where('id', '=', id)
            .where(({ eb, or }) =>
              or([
                eb('holder', '=', ''),
                eb('held_until', '<=', now),
                eb('held_until', '>', heldUntil + clockErrorMsMax),
              ]),
            ),
        },
        { query: queries.selectFrom('resumable_uploads').selectAll().where('id', '=', id) },
      ]);
      // The second query reads the row that the first updated.
      const row = results[1]?.rows[0] as UploadRow | undefined;
      return row === undefined
        ? null
        : { upload: resumableUploads.parse(row), isHeld: row.holder === holder };
    },
    renew: (id, { holder, heldUntil }) =>
      change(queries => updateHeld(queries, id, holder).set({ held_until: heldUntil })),
    progress: (id, { holder, heldUntil }, { sizeBytes, lengthBytes, expiresAt }) =>
      change(queries =>
        updateHeld(queries, id, holder).set({
          size_bytes: sizeBytes,
          length_bytes: lengthBytes,
          charged_bytes: lengthBytes ?? sizeBytes,
          expires_at: expiresAt,
          held_until: heldUntil,
        }),
      ),
    release: async (id, holder) => {
      await change(queries => updateHeld(queries, id, holder).set({ holder: '' }));
    },
    releaseAll: async () => {
      await change(queries => queries.updateTable('resumable_uploads').set({ holder: '' }));
    },
    forget: (id, holder) =>
      change(queries =>
        queries.deleteFrom('resumable_uploads').where('id', '=', id).where('holder', '=', holder),
      ),
  };
}

/** Finishes in the transaction that stores the file, so that a repeat after a crash stores no second one. */
function makeFinish(database: MetadataDatabase): ResumableUploadRecords['finish'] {
  const composeInsert = makeInserts();
  return async ({ id, holder, expiresAt }, file) => {
    try {
      await database.transactBatch(queries => [
        {
          query: updateHeld(queries, id, holder)
            .where('file_id', 'is', null)
            .set({ file_id: file.id, charged_bytes: 0, expires_at: expiresAt }),
          rowsMin: 1,
        },
        ...composeInsert(queries, file),
      ]);
    } catch (error) {
      throw await explainRefusal(database, file.project, error);
    }
  };
}

/** Updates the usage row first, so that others who begin or end an upload wait. */
async function requireCapacity(
  queries: Queries,
  { project, lengthBytes }: Upload,
  { uploadsMax, bytesMax }: BegunLimits,
): Promise<void> {
  const usage = queries
    .insertInto('file_usage')
    .values({ project, last_position: 0, files: 0, bytes: 0, ...emptyTrash });
  const used = await usage
    .onConflict(conflict => conflict.column('project').doUpdateSet({ files: sql`file_usage.files` }))
    .returning(['files', 'bytes'])
    .executeTakeFirstOrThrow();
  const quota = await queries
    .selectFrom('projects')
    .select(['bytes_max', 'files_max'])
    .where('slug', '=', project)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  if (quota === undefined) throw new ServiceError('not_found', 'The project no longer exists.');
  const begun = await queries
    .selectFrom('resumable_uploads')
    .select(({ fn }) => [
      fn.countAll<number>().as('uploads'),
      fn.coalesce(fn.sum<number>('charged_bytes'), sql<number>`0`).as('bytes'),
    ])
    .where('project', '=', project)
    .where('file_id', 'is', null)
    .executeTakeFirstOrThrow();
  // PostgreSQL sums bigints as numeric, which its driver returns as text.
  const [uploads, bytes] = [Number(begun.uploads), Number(begun.bytes) + (lengthBytes ?? 0)];
  if (uploads >= uploadsMax || bytes > bytesMax) {
    throw new ServiceError(
      'quota_exceeded',
      `The project has ${uploads} uploads that are not finished: finish or end some of them, or let them expire.`,
    );
  }
  const lacksBytes = quota.bytes_max !== null && used.bytes + bytes > quota.bytes_max;
  const lacksFiles = quota.files_max !== null && used.files + uploads >= quota.files_max;
  if (lacksBytes || lacksFiles) {
    throw new ServiceError(
      'quota_exceeded',
      'The quota of the project has no space for this file beside the stored ones and the uploads in progress. Delete files or raise the quota.',
    );
  }
}
