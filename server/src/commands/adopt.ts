/** `tapedeck adopt`: says that the stores, and the secret, that the settings name are this installation's from now on. */

import { openBlobStore } from '@tapedeck/blob-stores';
import type { Config } from '../config.ts';
import { permitBlobSweep, readBlobSweep } from '../domain/files/blobSweep.ts';
import { adoptSecret, keepInstallationId, replaceLogServers } from '../domain/installation.ts';
import type { ManagementDeps } from '../domain/management.ts';
import type { MarkedStore } from '../domain/ports/installation.ts';
import { openDirectoryMark } from '../stores/dataDirectory/dataDirectory.ts';
import { createSchema } from '../stores/logs/schema/schema.ts';
import { forgetEngineMarks, readEngineMarks, readInstallation } from '../stores/logs/servers/engineMark.ts';
import { markServer, nameServer, readServerMark } from '../stores/logs/servers/serverMarks.ts';
import { reachServer } from '../stores/logs/store.ts';
import { type Command, withStore } from './command.ts';

/** `belongedTo`: null where there was no mark. */
type Adopted = { store: string; belongedTo: string | null; changed: boolean };

export const adopt: Command = {
  name: 'adopt',
  usage: '[--dry-run] [--sweep]',
  about:
    'Make the stores that the settings name this installation’s, whoever had them; with --sweep, let the sweep set aside what it stopped at.',
  options: { 'dry-run': { type: 'boolean' }, sweep: { type: 'boolean' } },
  positionals: { min: 0, max: 0 },
  run: async (config, given) => {
    const dryRun = given.flag('dry-run');
    const answer = await withStore(config, async deps => {
      const installation = await keepInstallationId(deps);
      const stores = await adoptStores(config, deps, { installation, dryRun });
      const isShared = config.database.kind === 'postgres' && config.secret !== null;
      const secretChanged = isShared && (await adoptSecret(deps, config.secret ?? '', dryRun));
      const sweep = await adoptSweep(deps, { isAsked: given.flag('sweep'), dryRun });
      return { installation, dryRun, stores, secretChanged, sweep };
    });
    return { text: describeAnswer(answer), json: answer };
  },
};

type Adoption = { installation: string; dryRun: boolean };

/** All marks are read before the first is written: a store that does not answer changes nothing. */
async function adoptStores(config: Config, deps: ManagementDeps, adoption: Adoption): Promise<Adopted[]> {
  await using blobs = await openBlobStore(config.blobs, () => deps.clock.now());
  const marked: MarkedStore[] = [openDirectoryMark(config.dataDir), blobs];
  const servers =
    config.logs.kind === 'clickhouse' ? config.logs.urls.map(url => reachServer(url).access) : [];
  const marks = await Promise.all(marked.map(store => store.readMark()));
  const serverMarks = await Promise.all(servers.map(access => readServerMark(access)));
  const { installation, dryRun } = adoption;
  const adopted: Adopted[] = [];
  for (const [index, store] of marked.entries()) {
    const belongedTo = marks[index] ?? null;
    const changed = belongedTo !== installation;
    if (changed && !dryRun) await store.writeMark(installation);
    adopted.push({ store: store.title, belongedTo, changed });
  }
  adopted.push(...(await adoptEngine(config, adoption)));
  const clusterName = config.logs.kind === 'clickhouse' ? config.logs.cluster : null;
  const serverNames: string[] = [];
  for (const [index, access] of servers.entries()) {
    const mark = serverMarks[index] ?? null;
    const changed = mark?.installationId !== installation;
    // A service makes no table on a server that has lost its own, and none where the mark says that there is one.
    if (!dryRun) await createSchema({ access, clusterName });
    if (!changed) serverNames.push(...(mark?.names ?? []));
    else if (!dryRun) serverNames.push(await markServer(access, installation));
    adopted.push({ store: nameServer(access), belongedTo: mark?.installationId ?? null, changed });
  }
  if (servers.length > 0 && !dryRun) await replaceLogServers(deps, serverNames);
  return adopted;
}

/** The service, which may be running, marks it when it looks next. */
async function adoptEngine(
  { logs, dataDir }: Config,
  { installation, dryRun }: Adoption,
): Promise<Adopted[]> {
  if (logs.kind !== 'embedded') return [];
  const place = { dataDir, directory: logs.directory };
  const { mark, remembered } = await readEngineMarks(place);
  if (mark === null && remembered === null) return [];
  const belongedTo = readInstallation(mark);
  const changed = belongedTo !== installation || (remembered !== null && remembered !== mark);
  if (changed && !dryRun) await forgetEngineMarks(place);
  return [{ store: `the log engine in ${logs.directory}`, belongedTo, changed }];
}

async function adoptSweep(
  deps: ManagementDeps,
  { isAsked, dryRun }: { isAsked: boolean; dryRun: boolean },
): Promise<{ seen: number; due: number; permitted: boolean } | null> {
  const sweep = await readBlobSweep(deps);
  if (sweep?.phase !== 'stopped') return null;
  const permitted = isAsked && !dryRun && (await permitBlobSweep(deps)) !== null;
  return { seen: sweep.seen, due: sweep.due, permitted };
}

type Answer = Adoption & {
  stores: readonly Adopted[];
  secretChanged: boolean;
  sweep: Awaited<ReturnType<typeof adoptSweep>>;
};

function describeAnswer({ installation, dryRun, stores, secretChanged, sweep }: Answer): string {
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
      : 'the sweep stands still; --sweep lets it go on.';
    lines.push(`${sweep.due} of ${sweep.seen} blobs have no record: ${end}`);
  }
  return [`Installation ${installation}`, ...lines].join('\n');
}
