/** `tapedeck restore`: restores a backup, or a part of it, into an empty installation. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Misuse } from '@tapedeck/command-line';
import { readInstantMs } from '@tapedeck/domain/instants';
import { keepInstallationId, openLogServers } from '@tapedeck/domain/operations/installation';
import type { BackupFiles, BackupPart } from '@tapedeck/domain/ports/backup';
import { ServiceError } from '@tapedeck/domain/vocabulary';
import {
  type AttachedLogStore,
  type EntrySelection,
  logsPart,
  logsPartName,
  markUnmarked,
} from '@tapedeck/log-store';
import { openMetadataStore } from '@tapedeck/metadata-store';
import { Failure } from '@tapedeck/values/failure';
import type { Config } from '../config.ts';
import { metadataPart } from '../stores/backup/metadataPart.ts';
import type { RowSelection } from '../stores/backup/rowSelection.ts';
import { type Backup, openBackup, restoreBackup } from '../stores/backupFolder.ts';
import { fillDataDirectory } from '../stores/dataDirectory/dataDraft.ts';
import { secretPart } from '../stores/dataDirectory/secretPart.ts';
import { withMedia } from './backup.ts';
import { isBucketUrl, openBackupBucket } from './backupBucket.ts';
import { describeContents } from './backupMessages.ts';
import type { Command, CommandArguments } from './command.ts';
import { explainRefusals } from './diskErrors.ts';
import { withNewLogStore } from './logStore.ts';

export const restore: Command = {
  name: 'restore',
  usage: 'DIR|s3://BUCKET[/FOLDER] [--project P …] [--only files|logs] [--since RFC3339] [--until RFC3339]',
  about: 'Restore a backup, or part of it, into an empty data directory and an empty database.',
  options: {
    project: { type: 'string', multiple: true, about: 'restore only this project' },
    only: { type: 'string', values: ['files', 'logs'], about: 'restore only files or only log entries' },
    since: { type: 'string', about: 'restore only log entries from this time on' },
    until: { type: 'string', about: 'restore only log entries before this time' },
  },
  ignoresServices: true,
  positionals: { min: 1, max: 1, arePaths: true },
  run: async (config, given) => {
    const [place = ''] = given.positionals;
    const selection = readSelection(given);
    await using draft = isBucketUrl(place) ? await makeDraft() : null;
    await using bucket = draft && (await openBackupBucket(place, { ...config, dataDir: draft.path }, given));
    const saved = await openBackup(bucket?.folder ?? path.resolve(place), bucket?.findSize);
    const foreign = await explainRefusals(
      { where: config.dataDir, again: 'The data directory is as empty as before.' },
      () => restoreAll({ ...saved, files: bucket?.files ?? null }, config, selection),
    );
    const title = bucket?.title ?? saved.folder;
    const lines = [
      selection.words === ''
        ? `Restored ${describeContents(saved.manifest)} from ${title}.`
        : `Restored ${selection.words} from ${title}, and the users.`,
    ];
    if (!saved.manifest.parts.secret?.secrets && config.secret === null)
      lines.push('The secret is not in the backup: start with the previous TAPEDECK_SECRET.');
    if (foreign.length > 0)
      lines.push(
        `The start will be refused until you run \`tapedeck adopt\`: ${foreign.join(' and ')} belongs to another installation.`,
      );
    return { text: lines.join('\n'), json: { ...saved.manifest, ofAnotherInstallation: foreign } };
  },
};

/** `files`: where the backup keeps files, unless in its folder. */
type Saved = Backup & { files: BackupFiles | null };

/** Made outside the data directory, which must be empty. */
async function makeDraft(): Promise<AsyncDisposable & { path: string }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'tapedeck-restore-'));
  return { path: folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}

type Selection = {
  rows: RowSelection;
  entries: EntrySelection;
  withLogs: boolean;
  /** Describes the selection; '' for everything. */
  words: string;
};

function readSelection(given: CommandArguments): Selection {
  const projects = given.list('project');
  const only = given.text('only');
  const readMicros = (option: string) => {
    const text = given.text(option);
    return text === undefined ? null : 1_000 * readInstantMs(`--${option}`, text);
  };
  const [fromMicros, toMicros] = [readMicros('since'), readMicros('until')];
  const hasTimes = fromMicros !== null || toMicros !== null;
  if (only === 'files' && hasTimes)
    throw new Misuse('--since and --until select log entries, which --only files leaves out.');
  const named = projects.length === 0 ? null : projects;
  const what =
    only === undefined ? 'files and log entries' : only === 'files' ? 'the files' : 'the log entries';
  const words = [
    what,
    ...(named === null ? [] : [`of ${named.join(', ')}`]),
    ...(hasTimes
      ? [`(entries ${[given.text('since'), given.text('until')].map(text => text ?? '…').join(' to ')})`]
      : []),
  ];
  return {
    rows: { projects: named, withFiles: only !== 'logs' },
    entries: { projects: named, fromMicros, toMicros },
    withLogs: only !== 'files',
    words: only === undefined && words.length === 1 ? '' : words.join(' '),
  };
}

type RestoredPart = Pick<BackupPart, 'name' | 'restore'>;

/** Stores outside the data directory that a restore has filled, by the names of their settings. */
type Filled = Set<'DATABASE_URL' | 'CLICKHOUSE_URL'>;

/** Resolves to the names of stores that belong to another installation. */
async function restoreAll(saved: Saved, config: Config, selection: Selection): Promise<string[]> {
  const filled: Filled = new Set();
  try {
    return await fillDataDirectory(config.dataDir, async draft => {
      await restoreBackup(saved, [secretPart(draft)]);
      const inside = moveConfig(config, draft);
      if (!selection.withLogs || saved.manifest.parts[logsPartName] === undefined)
        return await restoreRest(saved, inside, { logs: null, filled, shards: [], selection });
      // Awaited here, because the log store closes when this function returns.
      return await withNewLogStore({ ...inside, journal: null }, store =>
        restoreWithLogs(saved, inside, { store, filled, selection }),
      );
    });
  } catch (error) {
    throw filled.size === 0 ? error : describeFilled(error, filled);
  }
}

async function restoreWithLogs(
  saved: Saved,
  config: Config,
  { store, filled, selection }: { store: AttachedLogStore; filled: Filled; selection: Selection },
): Promise<string[]> {
  const logs = logsPart(store);
  await logs.requireEmpty(); // before anything else is filled
  try {
    const selected = {
      name: logs.name,
      restore: (folder: string) => logs.restore(folder, selectEntries(selection)),
    };
    return await restoreRest(saved, config, { logs: selected, filled, shards: store.shards, selection });
  } finally {
    // A store that does not answer may also hold something.
    const isEmpty = await logs.requireEmpty().then(
      () => true,
      () => false,
    );
    if (config.logs.kind === 'clickhouse' && !isEmpty) filled.add('CLICKHOUSE_URL');
  }
}

async function restoreRest(
  saved: Saved,
  config: Config,
  {
    logs,
    filled,
    shards,
    selection,
  }: {
    logs: RestoredPart | null;
    filled: Filled;
    shards: AttachedLogStore['shards'] | [];
    selection: Selection;
  },
): Promise<string[]> {
  await using store = await openMetadataStore(config.database);
  const rows = metadataPart(store, selection.words === '' ? null : selection.rows);
  await restoreBackup(saved, [rows]); // all or nothing
  if (config.database.kind === 'postgres') filled.add('DATABASE_URL');
  const installationId = await keepInstallationId({ store });
  const foreign = await withMedia({ config, store, rows, files: saved.files }, async (media, blobs) => {
    await restoreBackup(saved, logs ? [logs, media] : [media]);
    const mark = await blobs.readMark();
    return mark === null || mark === installationId ? [] : [blobs.title];
  });
  if (config.logs.kind === 'embedded') return foreign;
  // Marked last: the user must empty servers that a failed restore filled, and marks would remain there.
  return [...foreign, ...(await markUnmarked(shards, openLogServers({ store }, installationId)))];
}

/** Returns the same choices with another data directory. */
function moveConfig(config: Config, dataDir: string): Config {
  const { database, blobs, logs } = config;
  const move = (place: string) => path.join(dataDir, path.relative(config.dataDir, place));
  return {
    ...config,
    dataDir,
    database: database.kind === 'sqlite' ? { ...database, file: move(database.file) } : database,
    blobs: blobs.kind === 'disk' ? { ...blobs, directory: move(blobs.directory) } : blobs,
    logs: logs.kind === 'embedded' ? { ...logs, directory: move(logs.directory) } : logs,
  };
}

/** Leaves buckets out: the next try finds the same files there. */
function describeFilled(error: unknown, filled: Filled): ServiceError {
  const names = [...filled].map(name => `TAPEDECK_${name}`).join(' and ');
  const sentence = `Before you try again, empty what ${names} names: this attempt wrote to it.`;
  const code = error instanceof Failure ? error.code : 'unavailable';
  const reason = error instanceof Error ? error.message : String(error);
  return new ServiceError(code, `${reason} ${sentence}`, { cause: error });
}

function selectEntries({ entries }: Selection): EntrySelection | null {
  const { projects, fromMicros, toMicros } = entries;
  return projects === null && fromMicros === null && toMicros === null ? null : entries;
}
