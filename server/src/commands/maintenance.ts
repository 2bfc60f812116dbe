/** `tapedeck retention run` and `tapedeck verify`: run the service's maintenance now and print the result. */

import { openBlobStore, openDiskReserve } from '@tapedeck/blob-stores';
import { printTable } from '@tapedeck/command-line';
import { type BlobSweep, describeStandstill, readBlobSweep } from '@tapedeck/domain/files/blobSweep';
import { type ExpiryRun, removeExpiredFiles } from '@tapedeck/domain/files/expiry';
import type { OrphanDeps } from '@tapedeck/domain/files/orphans';
import { openPublicFiles } from '@tapedeck/domain/files/publicFiles';
import type { RemovalDeps } from '@tapedeck/domain/files/removal';
import { type Finding, verifyFiles } from '@tapedeck/domain/files/verification';
import { readInstantMs } from '@tapedeck/domain/instants';
import { type DatasetExpiry, expireLogs, listLogRetentions } from '@tapedeck/domain/logs/expiry';
import {
  keepInstallationId,
  openLogServers,
  refuseForeignStore,
} from '@tapedeck/domain/operations/installation';
import { alwaysAvailable } from '@tapedeck/domain/operations/storeHealth';
import type { CountFinding, FolderFinding, MetadataFinding } from '@tapedeck/domain/ports/files';
import type { ManagementDeps } from '@tapedeck/domain/projects/auditedChanges';
import { verifyLogs } from '@tapedeck/log-store';
import type { Config } from '../config.ts';
import { type Command, withStore } from './command.ts';
import { withLogStore } from './logStore.ts';

export const retentionRun: Command = {
  name: 'retention run',
  usage: '[--dry-run] [--now RFC3339]',
  about:
    'Delete files and log entries that are due under the retention rules, as the service also does regularly.',
  options: {
    'dry-run': { type: 'boolean', about: 'only count what is due' },
    now: { type: 'string', about: 'act as if it were this time, in RFC 3339' },
  },
  run: async (config, given) => {
    const at = given.text('now');
    const run = {
      now: at === undefined ? Date.now() : readInstantMs('--now', at),
      dryRun: given.flag('dry-run'),
      signal: new AbortController().signal, // killing the process ends the command
    };
    const { expired, sweep } = await withFiles(config, async deps => ({
      expired: await removeExpiredFiles(deps, run),
      sweep: describeSweep(await readBlobSweep(deps), deps.blobs.title),
    }));
    const datasets = await withStore(config, deps => letLogsExpire(config, deps, run));
    const verb = run.dryRun ? 'would be deleted' : 'deleted';
    const rows = expired.map(({ project, files, bytes }) => [project, String(files), String(bytes)]);
    const files =
      rows.length === 0 ? 'No file is due.' : printTable(['project', `files ${verb}`, 'bytes'], rows);
    const logRows = datasets.map(({ project, dataset, entries }) => [project, dataset, String(entries)]);
    const logs =
      logRows.length === 0
        ? 'No log entry is due.'
        : printTable(['project', 'dataset', `log entries ${verb}`], logRows);
    const now = new Date(run.now).toISOString();
    return {
      text: [files, logs, ...(sweep.standstill ? [sweep.standstill] : [])].join('\n'),
      json: { dryRun: run.dryRun, now, projects: expired, datasets, sweep },
    };
  },
};

/** Describes the sweep that the service runs. A stopped one waits for the consent of the operator. */
function describeSweep(sweep: BlobSweep | null, title: string) {
  if (sweep === null) return { phase: null, seen: 0, due: 0, standstill: null };
  const { phase, seen, due } = sweep;
  return { phase, seen, due, standstill: phase === 'stopped' ? describeStandstill(sweep, title) : null };
}

/** Does not open the log store if no retention is set. */
async function letLogsExpire(
  config: Config,
  { store }: ManagementDeps,
  run: ExpiryRun,
): Promise<DatasetExpiry[]> {
  if ((await listLogRetentions({ store })).length === 0) return [];
  const known = openLogServers({ store }, await keepInstallationId({ store }));
  return await withLogStore(
    config,
    async logs => (logs === null ? [] : await expireLogs({ logRemovals: logs.removals, store }, run)),
    known,
  );
}

export const verify: Command = {
  name: 'verify',
  usage: '[--repair]',
  about:
    'Compare every record with the stored bytes, and lists and counts of files with the records. Report differences.',
  options: { repair: { type: 'boolean', about: 'repair what can be repaired' } },
  run: async (config, given) => {
    const options = { repair: given.flag('repair'), onProgress: showProgress };
    const result = await withFiles(config, deps => verifyFiles(deps, options));
    const { files, bytes, findings } = result;
    const logs = await withLogStore(config, async store =>
      store ? await verifyLogs(store.shards, findLedger(config)) : null,
    );
    const summary = `${files} files, ${bytes} bytes, ${findings.length} findings.`;
    const open = findings.filter(({ repaired }) => !repaired);
    const damaged = logs?.damaged ?? [];
    const logLines = damaged.map(part => `damaged: a part of the log table, ${part}`);
    const missing = logs?.missing ?? { parts: [], entries: 0 };
    logLines.push(...missing.parts.map(part => `missing: a part of the log table, ${part}`));
    const lack =
      missing.parts.length === 0 ? '' : `, ${missing.parts.length} missing with ${missing.entries} entries`;
    if (logs)
      logLines.push(`${logs.entries} log entries in ${logs.parts} parts, ${damaged.length} damaged${lack}.`);
    return {
      text: [...findings.map(describeFinding), summary, ...logLines].join('\n'),
      json: { ...result, logs },
      failed: open.length > 0 || damaged.length > 0 || missing.parts.length > 0,
    };
  },
};

/** Only an engine in the data directory keeps a list of its parts. */
function findLedger({ logs, dataDir }: Config): string | null {
  return logs.kind === 'embedded' ? dataDir : null;
}

const progressEvery = 1000; // files between two lines of progress

function showProgress(files: number): void {
  if (files % progressEvery === 0) process.stderr.write(`${files} files checked\n`);
}

function describeFinding(finding: Finding): string {
  const end = finding.repaired ? ' (repaired)' : '';
  if (finding.problem === 'foreign')
    return `foreign: ${finding.place}, ${finding.bytes} bytes that are not from this service`;
  if (finding.problem === 'orphan')
    return `orphan: ${finding.place}, ${finding.bytes} bytes without a record${end}`;
  if (finding.problem === 'folder') return `${describeFolder(finding)}${end}`;
  if (finding.problem === 'count') return `${describeCount(finding)}${end}`;
  if (finding.problem === 'metadata') return `${describeMetadata(finding)}${end}`;
  const what =
    finding.problem === 'missing' ? 'the bytes are gone' : 'the bytes are not those that were uploaded';
  return `${finding.problem}: ${finding.project}/${finding.key}, ${what}${end}`;
}

function describeFolder({ project, folder, unlisted, stray, miscounted }: FolderFinding): string {
  const faults = [
    unlisted === 0 ? [] : `does not list ${countFiles(unlisted)} that ${beOf(unlisted)} in it`,
    stray === 0 ? [] : `lists ${countFiles(stray)} that ${beOf(stray)} not in it`,
    miscounted === 0 ? [] : 'has wrong counts',
  ].flat();
  const name = folder === '' ? `project: ${project}` : `folder: ${project}/${folder}`;
  return `${name} ${faults.join(', ')}`;
}

function describeCount({ project, of, counted, actual }: CountFinding): string {
  const what = { usage: 'usage is', trash: 'the trash is' }[of] ?? `uploads of ${of} are`;
  const [is, shouldBe] = [counted, actual].map(
    ({ files, bytes }) => `${countFiles(files)} and ${bytes} bytes`,
  );
  return `count: ${project}, ${what} ${is}, but should be ${shouldBe}`;
}

function describeMetadata({ project, missed, wrong }: MetadataFinding): string {
  const faults = [
    missed === 0 ? [] : `miss ${countFiles(missed)}`,
    wrong === 0
      ? []
      : `find ${countFiles(wrong)} by metadata that ${wrong === 1 ? 'it does' : 'they do'} not have`,
  ].flat();
  return `metadata: ${project}, searches ${faults.join(' and ')}`;
}

const beOf = (files: number) => (files === 1 ? 'is' : 'are');

function countFiles(files: number): string {
  return files === 1 ? '1 file' : `${files} files`;
}

async function withFiles<T>(
  config: Config,
  work: (deps: OrphanDeps & ManagementDeps & Pick<RemovalDeps, 'publicFiles' | 'reserve'>) => Promise<T>,
): Promise<T> {
  return await withStore(config, async deps => {
    await using blobs = await openBlobStore(config.blobs, () => deps.clock.now());
    const { files } = deps.store;
    const reserve = await openDiskReserve(config.dataDir);
    await refuseForeignStore(blobs, await keepInstallationId(deps));
    return await work({
      ...deps,
      files,
      blobs,
      reserve,
      publicFiles: openPublicFiles(files, alwaysAvailable),
    });
  });
}
