/** Inserts files with their counts and index rows in one transaction. */

import type { StoredFile } from '@tapedeck/domain/ports/files';
import { ServiceError } from '@tapedeck/domain/vocabulary';
import { bucketPositions } from '@tapedeck/file-index';
import {
  type BatchQuery,
  BatchRefused,
  type BatchTemplate,
  type Bind,
  bindRow,
  ConstraintViolation,
  gatherCallsByKey,
  makeBatchTemplate,
} from '@tapedeck/metadata-database';
import { newSortableId } from '@tapedeck/values/random-ids';
import { sql } from 'kysely';
import { composeEvent } from '../alerting/events.ts';
import type { FileRow, MetadataDatabase, Queries, Schema } from '../schema.ts';
import { composeDayCount } from './days.ts';
import { buildFileRow, dayOf, listFolders, listMetadataEntries, writeFileEvent } from './rows.ts';

/** Files per transaction: few enough that others wait about ten milliseconds for the project's row. */
const filesAtOnceMax = 50;

/**
 * Rejects with the reason if the project is gone or full. Nodes take turns at the row that counts a project's files. A node's uploads
 * share a transaction, so it locks the row once for all of them. SQLite does this by itself.
 */
export function makeInsert(database: MetadataDatabase): (file: StoredFile) => Promise<void> {
  const composeInsert = makeInserts();
  const insert = (files: readonly StoredFile[]) =>
    database.transactBatch(queries => files.flatMap(file => composeInsert(queries, file)));
  const insertOne = async (file: StoredFile) => {
    try {
      await insert([file]);
    } catch (error) {
      throw await explainRefusal(database, file.project, error);
    }
  };
  if (database.dialect === 'sqlite') return insertOne;
  const insertGathered = gatherCallsByKey<StoredFile, () => void>(({ project }) => project, {
    itemsMax: filesAtOnceMax,
    nameOf: () => '', // in order of arrival
    answerAll: files => insertTogether(files, { insert, insertOne }),
  });
  return async file => (await insertGathered(file))();
}

type Inserting = {
  insert(files: readonly StoredFile[]): Promise<unknown>;
  insertOne(file: StoredFile): Promise<void>;
};

/** A refused file doesn't affect the others. Each upload gets its own file's result. */
async function insertTogether(
  files: readonly StoredFile[],
  { insert, insertOne }: Inserting,
): Promise<(() => void)[]> {
  if (files.length > 1) {
    try {
      await insert(files);
      return files.map(() => () => undefined);
    } catch (error) {
      if (!isRefusal(error)) throw error;
    }
  }
  const outcomes: (() => void)[] = [];
  for (const file of files) {
    const [outcome] = await Promise.allSettled([insertOne(file)]);
    outcomes.push(() => {
      if (outcome.status === 'rejected') throw outcome.reason;
    });
  }
  return outcomes;
}

/** Explains why an insertion was refused. Returns any other error unchanged. */
export async function explainRefusal(
  database: MetadataDatabase,
  slug: string,
  error: unknown,
): Promise<unknown> {
  if (!isRefusal(error)) return error;
  const query = database.reading.selectFrom('projects').select('deleted_at').where('slug', '=', slug);
  const project = await query.executeTakeFirst();
  if (project === undefined || project.deleted_at !== null) {
    return new ServiceError('not_found', 'The project no longer exists.', { cause: error });
  }
  const sentence = 'The quota of the project is used up. Delete files or raise the quota.';
  return new ServiceError('quota_exceeded', sentence, { cause: error });
}

/** PostgreSQL gets the whole batch at once, so later queries may violate a constraint after an earlier one was refused. */
export function isRefusal(error: unknown): boolean {
  return error instanceof BatchRefused || error instanceof ConstraintViolation;
}

type Insertion = {
  row: ReturnType<typeof buildFileRow>;
  day: number;
  folders: readonly string[];
  entries: readonly string[];
  event: { id: string; text: string };
};

/** Files with equally many folders and metadata values share their statements. */
const shapesKeptMax = 64; // the games and apps of one service have a handful

/** Turns each insertion into queries of a batch. The batch is refused if the project is gone or full. */
export function makeInserts(): (queries: Queries, file: StoredFile) => readonly BatchQuery[] {
  const templates = new Map<string, BatchTemplate<Schema, Insertion>>();
  return (queries, file) => {
    const insertion = {
      row: buildFileRow(file),
      day: dayOf(file.createdAt),
      folders: listFolders(file.path),
      entries: listMetadataEntries(file.metadata),
      event: {
        id: newSortableId(file.createdAt),
        text: writeFileEvent('file.created', file, file.createdAt),
      },
    };
    const shape = `${insertion.folders.length} ${insertion.entries.length}`;
    let template = templates.get(shape);
    if (template === undefined) {
      template = makeBatchTemplate((some: Queries, bind: Bind<Insertion>) =>
        composeInsert(some, bind, insertion),
      );
      if (templates.size < shapesKeptMax) templates.set(shape, template);
    }
    return template(queries, insertion);
  };
}

/** For a project without recorded changes or trash. */
export const emptyTrash = { last_change: null, trashed_files: null, trashed_bytes: null } as const;

/** Changes the usage row first. That gives the position, and its lock keeps counts and quotas exact. */
function composeInsert(queries: Queries, bind: Bind<Insertion>, example: Insertion): BatchQuery[] {
  const project = bind(({ row }) => row.project);
  const type = bind(({ row }) => row.type);
  const bytes = bind(({ row }) => row.size_bytes);
  const position = sql<number>`(select last_position from file_usage where project = ${project})`;
  const before = sql`select coalesce(listed_at, created_at) as at from files where project = ${project} order by position desc limit 1`;
  const given = bind(({ row }) => row.created_at);
  /** Never falls: other nodes may be ahead, and so may this one before its clock was set back. */
  const listed_at = sql<number>`(select max(at) from (select cast(${given} as bigint) as at union all select at from (${before}) as newest) as times)`;
  const folders = example.folders.map((_, index) => bind(insertion => insertion.folders[index] ?? ''));
  const entries = example.entries.map((_, index) => bind(insertion => insertion.entries[index] ?? ''));
  return [
    {
      query: queries
        .insertInto('file_usage')
        .values({ project, last_position: 0, files: 0, bytes: 0, ...emptyTrash })
        .onConflict(conflict => conflict.doNothing()),
    },
    { query: composeCharge(queries, project, bytes), rowsMin: 1 },
    {
      query: queries
        .insertInto('files')
        .values({ ...bindRow<Insertion['row']>(bind, Object.keys(example.row)), position, listed_at }),
    },
    { query: composeDayCount(queries, { project, day: bind(({ day }) => day), bytes }) },
    ...folders.map(folder => ({
      query: queries.insertInto('file_folders').values({ project, folder, position, type }),
    })),
    ...folders.map(folder => ({ query: composeCount(queries, { project, type, folder, bytes }) })),
    ...(entries.length > 0
      ? [
          {
            query: queries
              .insertInto('file_metadata')
              .values(entries.map(entry => ({ project, entry, position }))),
          },
        ]
      : []),
    {
      query: composeEvent(queries, {
        type: 'file.created',
        project,
        id: bind(({ event }) => event.id),
        at: given,
        event: bind(({ event }) => event.text),
      }),
    },
  ];
}

/** Touches no row if the project is gone or full. */
function composeCharge(queries: Queries, project: string, bytes: number) {
  /** Bytes of uploads in progress. Only read if there is a quota. */
  const begun = sql`(select coalesce(sum(charged_bytes), 0) from resumable_uploads where project = ${project})`;
  return queries
    .updateTable('file_usage')
    .set({
      last_position: sql`last_position + 1`,
      files: sql`files + 1`,
      bytes: sql`bytes + ${bytes}`,
    })
    .where('project', '=', project)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('projects')
          .select('slug')
          .where('slug', '=', project)
          .where('deleted_at', 'is', null)
          .where(sql<boolean>`(bytes_max is null or file_usage.bytes + ${bytes} + ${begun} <= bytes_max)`)
          .where(sql<boolean>`(files_max is null or file_usage.files < files_max)`),
      ),
    );
}

function composeCount(
  queries: Queries,
  { project, type, folder, bytes }: Pick<FileRow, 'project' | 'type'> & { folder: string; bytes: number },
) {
  const bucket = sql<number>`(select last_position / ${sql.lit(bucketPositions)} from file_usage where project = ${project})`;
  return queries
    .insertInto('file_counts')
    .values({ project, folder, bucket, type, files: 1, bytes })
    .onConflict(conflict =>
      conflict
        .columns(['project', 'folder', 'bucket', 'type'])
        .doUpdateSet({ files: sql`file_counts.files + 1`, bytes: sql`file_counts.bytes + excluded.bytes` }),
    );
}
