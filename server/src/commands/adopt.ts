/** `tapedeck adopt`: takes ownership of the configured stores and the secret. */

import { openBlobStore } from '@tapedeck/blob-stores';
import { permitBlobSweep, readBlobSweep } from '@tapedeck/domain/files/blobSweep';
import { adoptSecret, keepInstallationId, replaceLogServers } from '@tapedeck/domain/operations/installation';
import { forgetMoved } from '@tapedeck/domain/operations/installationMove';
import type { MarkedStore } from '@tapedeck/domain/ports/installation';
import type { ManagementDeps } from '@tapedeck/domain/projects/auditedChanges';
import { ServiceError } from '@tapedeck/domain/vocabulary';
import {
  type AdoptedStore,
  findLostParts,
  markShards,
  prepareAdoption,
  waitUntilAccepted,
} from '@tapedeck/log-store';
import type { Config } from '../config.ts';
import { openDirectoryOwner } from '../stores/dataDirectory/dataDirectory.ts';
import { type Command, withStore } from './command.ts';
import { withLogStore } from './logStore.ts';

export const adopt: Command = {
  name: 'adopt',
  usage: '[--dry-run] [--sweep] [--missing-parts]',
  about:
    'Take ownership of the configured stores. With --sweep, resume a paused orphan cleanup. With --missing-parts, accept that log entries are lost.',
  options: {
    'dry-run': { type: 'boolean', about: 'only print what would change' },
    sweep: { type: 'boolean', about: 'resume a paused orphan cleanup' },
    'missing-parts': {
      type: 'boolean',
      about: 'continue without the log entries whose files are gone or damaged',
    },
  },
  ignoresServices: true,
  run: async (config, given) => {
    const dryRun = given.flag('dry-run');
    const answer = await withStore(config, async deps => {
      const installation = await keepInstallationId(deps);
      if (!dryRun) await forgetMoved(deps);
      const stores = await adoptStores(config, deps, { installation, dryRun });
      const isShared = config.database.kind === 'postgres' && config.secret !== null;
      const secretChanged = isShared && (await adoptSecret(deps, config.secret ?? '', dryRun));
      const sweep = await adoptSweep(deps, { isRequested: given.flag('sweep'), dryRun });
      const segmentsReleased = await releaseSegments(config, deps, dryRun);
      return { installation, dryRun, stores, secretChanged, sweep, segmentsReleased };
    });
    const missingParts = await adoptMissingParts(config, {
      isRequested: given.flag('missing-parts'),
      dryRun,
    });
    const complete = { ...answer, missingParts };
    return { text: describeAnswer(complete), json: complete };
  },
};

type Adoption = { installation: string; dryRun: boolean };

/** Reads all marks before it writes the first: if a store does not answer, nothing changes. */
async function adoptStores(
  config: Config,
  deps: ManagementDeps,
  { installation, dryRun }: Adoption,
): Promise<AdoptedStore[]> {
  await using blobs = await openBlobStore(config.blobs, () => deps.clock.now());
  const marked: MarkedStore[] = [openDirectoryOwner(config.dataDir), blobs];
  const marks = await Promise.all(marked.map(store => store.readMark()));
  const adoptLogs = await prepareAdoption(config.logs, config.dataDir);
  const adopted: AdoptedStore[] = [];
  for (const [index, store] of marked.entries()) {
    const belongedTo = marks[index] ?? null;
    const changed = belongedTo !== installation;
    if (changed && !dryRun) await store.writeMark(installation);
    adopted.push({ store: store.title, belongedTo, changed });
  }
  const logs = await adoptLogs({ installationId: installation, dryRun });
  if (logs.serverNames !== null) await replaceLogServers(deps, logs.serverNames);
  return [...adopted, ...logs.stores];
}

/** Lets entries bound to a ClickHouse server that is no longer configured go to the configured ones. */
async function releaseSegments(
  { journal, logs }: Config,
  { store }: ManagementDeps,
  isDryRun: boolean,
): Promise<number> {
  if (journal === null || logs.kind === 'embedded') return 0;
  return await store.logSegments.release({ except: markShards(logs.urls), isDryRun });
}

async function adoptSweep(
  deps: ManagementDeps,
  { isRequested, dryRun }: { isRequested: boolean; dryRun: boolean },
): Promise<{ seen: number; due: number; permitted: boolean } | null> {
  const sweep = await readBlobSweep(deps);
  if (sweep?.phase !== 'stopped') return null;
  const permitted = isRequested && !dryRun && (await permitBlobSweep(deps)) !== null;
  return { seen: sweep.seen, due: sweep.due, permitted };
}

type MissingParts = { parts: number; entries: number; named: readonly string[]; accepted: boolean };

/** A running service has already checked for missing parts. Otherwise opening the store checks, and closing it applies the decision. */
async function adoptMissingParts(
  config: Config,
  { isRequested, dryRun }: { isRequested: boolean; dryRun: boolean },
): Promise<MissingParts | null> {
  const { logs, dataDir } = config;
  if (isRequested && logs.kind === 'clickhouse') {
    const sentence =
      '--missing-parts is about the log engine in the data directory, but this installation uses a separate ClickHouse.';
    throw new ServiceError('unavailable', sentence);
  }
  const adoptLost = async () => {
    const { parts, entries, sentences, accept } = await findLostParts(logs, dataDir);
    if (parts === 0) return null;
    if (isRequested && !dryRun) await accept();
    return { parts, entries, named: sentences };
  };
  const lost = isRequested ? await withLogStore(config, adoptLost) : await adoptLost();
  if (lost === null) return null;
  return { ...lost, accepted: isRequested && !dryRun && (await waitUntilAccepted(dataDir)) };
}

type Answer = Adoption & {
  missingParts: MissingParts | null;
  stores: readonly AdoptedStore[];
  secretChanged: boolean;
  sweep: Awaited<ReturnType<typeof adoptSweep>>;
  segmentsReleased: number;
};

function describeAnswer(answer: Answer): string {
  const { installation, dryRun, stores, secretChanged, sweep, segmentsReleased } = answer;
  const become = dryRun ? 'would become' : 'is now';
  const lines = stores.map(({ store, belongedTo, changed }) => {
    if (!changed) return `${store}: belongs to this installation.`;
    const before = belongedTo === null ? 'had no mark' : `belonged to ${belongedTo}`;
    return `${store}: ${before}, ${become} this installation's.`;
  });
  if (secretChanged) lines.push(`TAPEDECK_SECRET: ${become} the one that all nodes need.`);
  if (sweep !== null) {
    const end = sweep.permitted
      ? 'the next sweep sets them aside.'
      : 'the sweep is paused; --sweep resumes it.';
    lines.push(`${sweep.due} of ${sweep.seen} blobs have no record: ${end}`);
  }
  if (segmentsReleased > 0) {
    const may = dryRun ? 'would go' : 'go';
    lines.push(
      `Entries in the bucket: ${segmentsReleased} segments of a server that is no longer configured ${may} to the others.`,
    );
  }
  if (answer.missingParts !== null) lines.push(...describeMissing(answer.missingParts));
  return [`Installation ${installation}`, ...lines].join('\n');
}

const namedMax = 20;

function describeMissing({ parts, entries, named, accepted }: MissingParts): string[] {
  const end = accepted
    ? 'the service continues without them.'
    : 'queries for their times are refused; use --missing-parts to continue without them.';
  const more = named.length > namedMax ? [`and ${named.length - namedMax} more parts`] : [];
  return [
    `Log entries: ${entries} are missing in ${parts} ${parts === 1 ? 'part' : 'parts'}, ${end}`,
    ...named.slice(0, namedMax).map(part => `  ${part}`),
    ...more,
  ];
}
