/** `tapedeck status`: reports the state of the installation, whether or not its service is running. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { openBlobStore } from '@tapedeck/blob-stores';
import { createClient } from '@tapedeck/client';
import { formatBytes, formatNumber } from '@tapedeck/command-line';
import { readBackup } from '@tapedeck/domain/operations/backups';
import type { MetadataStore } from '@tapedeck/domain/ports/metadata';
import { ServiceError } from '@tapedeck/domain/vocabulary';
import { measureWaitingBytes, planLogTables } from '@tapedeck/log-store';
import { openMetadataStore } from '@tapedeck/metadata-store';
import type { Config } from '../config.ts';
import { findAddress } from '../stores/dataDirectory/dataDirectory.ts';
import { measureDisk } from '../stores/dataDirectory/diskSpace.ts';
import { version } from '../version.ts';
import type { Command } from './command.ts';

const answerMsMax = 10_000; // a store that is silent for longer counts as away

export const status: Command = {
  name: 'status',
  usage: '',
  about:
    'Show the service, stores, disk, waiting entries, counts and last backup. Exits with 1 if a store is unavailable.',
  options: {},
  run: async config => {
    if (config.database.kind === 'sqlite' && !existsSync(config.database.file)) {
      const sentence = `The data directory ${config.dataDir} holds no installation: set TAPEDECK_DATA_DIR to the one of the service.`;
      throw new ServiceError('not_found', sentence);
    }
    const url = await findAddress(config.dataDir);
    const found = await checkDatabase(config);
    const [files, logs, disk, bytes] = await Promise.all([
      findReason(() => pingBlobs(config)),
      checkLogs(config, url),
      existsSync(config.dataDir) ? measureSpace(config.dataDir) : null,
      measureWaitingBytes(path.join(config.dataDir, 'journal')),
    ]);
    const stores: Stores = { database: found.reason, files, logs };
    const journal = { bytes: bytes + (found.contents?.sharedJournalBytes ?? 0) };
    const { counts = null, backup = null } = found.contents ?? {};
    const json = { version, url, stores: describeStores(stores), disk, journal, counts, backup };
    return { text: describe(json), json, failed: json.stores.some(({ state }) => state === 'away') };
  },
};

async function measureSpace(directory: string): Promise<{ freeBytes: number; totalBytes: number }> {
  const { freeBytes, totalBytes } = await measureDisk(directory);
  return { freeBytes, totalBytes };
}

/** The reason why a store is away; null: it answers; undefined: the service includes it. */
type Stores = Record<'database' | 'files' | 'logs', string | null | undefined>;

type Contents = Awaited<ReturnType<typeof readContents>>;

async function checkDatabase(config: Config): Promise<{ reason: string | null; contents: Contents | null }> {
  let contents: Contents | null = null;
  const reason = await findReason(async () => {
    await using store = await openMetadataStore(config.database);
    contents = await readContents(store, config.journal !== null);
  });
  return { reason, contents };
}

async function readContents(store: MetadataStore, isJournalShared: boolean) {
  const [projects, users, tokens] = await Promise.all([
    store.read.projects.list(),
    store.read.users.list(),
    store.read.tokens.list(null),
  ]);
  const usages = await Promise.all(projects.map(({ slug }) => store.files.usage(slug)));
  const sum = (amounts: readonly number[]) => amounts.reduce((total, amount) => total + amount, 0);
  const backup = await readBackup({ store });
  return {
    counts: {
      projects: projects.length,
      users: users.length,
      tokens: tokens.length,
      files: sum(usages.map(({ files }) => files)),
      fileBytes: sum(usages.map(({ bytes }) => bytes)),
    },
    backup: backup && { endedAt: new Date(backup.endedAt).toISOString(), folder: backup.folder },
    sharedJournalBytes: isJournalShared ? (await store.logSegments.measure()).bytes : 0,
  };
}

async function pingBlobs(config: Config): Promise<void> {
  await using blobs = await openBlobStore(config.blobs, Date.now);
  await blobs.check();
  await blobs.checkWriting();
}

async function checkLogs(config: Config, url: string | null): Promise<string | null | undefined> {
  if (url !== null)
    return findReason(async () => {
      const signal = AbortSignal.timeout(answerMsMax);
      await createClient({ baseUrl: url }).getReadiness({ query: { role: 'query' } }, { signal });
    });
  const { logs } = config;
  if (logs.kind === 'embedded') return undefined;
  return findReason(() => planLogTables(logs, AbortSignal.timeout(answerMsMax)));
}

async function findReason(look: () => Promise<unknown>): Promise<string | null> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`No answer in ${answerMsMax / 1_000} s.`)), answerMsMax);
  try {
    await Promise.race([look(), late]);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    clearTimeout(timer);
  }
}

function describeStores(stores: Stores) {
  return Object.entries(stores).map(([name, reason]) => {
    const state = reason === null ? 'up' : reason === undefined ? 'stopped' : 'away';
    return { name, state, reason: reason ?? null };
  });
}

type Shown = {
  version: string;
  url: string | null;
  stores: ReturnType<typeof describeStores>;
  disk: { freeBytes: number; totalBytes: number } | null;
  journal: { bytes: number };
  counts: Contents['counts'] | null;
  backup: Contents['backup'];
};

function describe({ version: running, url, stores, disk, journal, counts, backup }: Shown): string {
  const lines = [
    ['version', running],
    ['service', url === null ? 'not running on this machine' : `running at ${url}`],
    ...stores.map(({ name, state, reason }) => [
      name,
      state === 'stopped' ? 'not running: the engine starts with the service' : (reason ?? 'up'),
    ]),
  ];
  if (disk !== null)
    lines.push(['disk', `${formatBytes(disk.freeBytes)} free of ${formatBytes(disk.totalBytes)}`]);
  const waiting = journal.bytes === 0 ? 'empty' : `${formatBytes(journal.bytes)} of log entries waiting`;
  lines.push(['journal', waiting]);
  if (counts !== null) {
    const { projects, users, tokens, files, fileBytes } = counts;
    const stored = `${formatNumber(files)} files (${formatBytes(fileBytes)})`;
    lines.push(['stored', `${projects} projects, ${users} users, ${tokens} tokens, ${stored}`]);
    lines.push(['backup', backup === null ? 'none yet' : `${backup.endedAt}, in ${backup.folder}`]);
  }
  const width = Math.max(...lines.map(([name = '']) => name.length));
  return lines.map(([name = '', value = '']) => `${name.padEnd(width)}  ${value}`).join('\n');
}
