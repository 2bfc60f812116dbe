/** Gives the stores of entries to an installation, even if another one had them. Runs only at an operator's request. */
import type { EngineAccess } from '../writer/engine/supervision.ts';
import { createSchema } from '../writer/schema/tables.ts';
import { type LogsConfig, reachServer } from '../writer/servers/addresses.ts';
import { forgetEngineMarks, readEngineMarks, readInstallation } from '../writer/servers/engineMark.ts';
import { markServer, nameServer, readServerMark, type ServerMark } from '../writer/servers/serverMarks.ts';

/** `belongedTo`: null if there was no mark. */
export type AdoptedStore = { store: string; belongedTo: string | null; changed: boolean };

type Adopted = {
  stores: AdoptedStore[];
  /** Names of all servers from now on; null if there are none or nothing changed. */
  serverNames: string[] | null;
};

type Adopter = { installationId: string; dryRun: boolean };

/** Reads every mark first, so that a server that does not answer changes nothing. Resolves to a function that adopts. */
export async function prepareAdoption(
  config: LogsConfig,
  dataDir: string,
): Promise<(adopter: Adopter) => Promise<Adopted>> {
  if (config.kind === 'embedded') return prepareEngine(dataDir, config.directory);
  const servers = config.urls.map(url => reachServer(url).access);
  const marks = await Promise.all(servers.map(access => readServerMark(access)));
  return async adopter => {
    const stores: AdoptedStore[] = [];
    const serverNames: string[] = [];
    for (const [index, access] of servers.entries()) {
      const mark = marks[index] ?? null;
      // A service creates no table on a server that lost its own, nor where the mark says that there is one.
      if (!adopter.dryRun) await createSchema({ access, clusterName: config.cluster });
      const adopted = await adoptServer(access, mark, adopter);
      serverNames.push(...adopted.names);
      stores.push(adopted.store);
    }
    return { stores, serverNames: servers.length > 0 && !adopter.dryRun ? serverNames : null };
  };
}

async function adoptServer(
  access: EngineAccess,
  mark: ServerMark | null,
  { installationId, dryRun }: Adopter,
): Promise<{ store: AdoptedStore; names: readonly string[] }> {
  const belongedTo = mark?.installationId ?? null;
  const store = { store: nameServer(access), belongedTo, changed: belongedTo !== installationId };
  if (!store.changed) return { store, names: mark?.names ?? [] };
  return { store, names: dryRun ? [] : [await markServer(access, installationId)] };
}

/** If the service is running, it marks the engine at its next look. */
async function prepareEngine(
  dataDir: string,
  directory: string,
): Promise<(adopter: Adopter) => Promise<Adopted>> {
  const place = { dataDir, directory };
  const { mark, remembered } = await readEngineMarks(place);
  return async ({ installationId, dryRun }) => {
    if (mark === null && remembered === null) return { stores: [], serverNames: null };
    const belongedTo = readInstallation(mark);
    const changed = belongedTo !== installationId || (remembered !== null && remembered !== mark);
    if (changed && !dryRun) await forgetEngineMarks(place);
    return { stores: [{ store: `the log engine in ${directory}`, belongedTo, changed }], serverNames: null };
  };
}
