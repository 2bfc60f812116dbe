/** `tapedeck migrate`: migrates the database and log tables before a start, or prints what a migration would do. */

import { keepInstallationId, openLogServers } from '@tapedeck/domain/operations/installation';
import { planLogTables, prepareLogTables } from '@tapedeck/log-store';
import { listMissingSteps, migrateMetadata, openMetadataStore } from '@tapedeck/metadata-store';
import type { Config } from '../config.ts';
import { prepareDataDirectory } from '../stores/dataDirectory/dataDirectory.ts';
import type { Command } from './command.ts';

const tablesMsMax = 60_000; // a reachable server answers within a second

export const migrate: Command = {
  name: 'migrate',
  usage: '[--dry-run]',
  about: 'Upgrade the database and the log tables to this version. `serve` does this by itself.',
  options: { 'dry-run': { type: 'boolean', about: 'only print the steps' } },
  ignoresServices: true,
  run: async (config, given) => {
    if (given.flag('dry-run')) return await planAll(config);
    if (config.database.kind === 'sqlite') await prepareDataDirectory(config.dataDir);
    const applied = await migrateMetadata(config.database);
    await migrateLogs(config);
    const text =
      applied.length === 0
        ? 'The database is up to date.'
        : `Applied ${applied.map(({ name }) => name).join(', ')}.`;
    return { text, json: { applied } };
  },
};

/** Migrates external servers, including new ones. The embedded engine creates its table at start. */
async function migrateLogs({ logs, database }: Config): Promise<void> {
  if (logs.kind === 'embedded') return;
  await using store = await openMetadataStore(database);
  const known = openLogServers({ store }, await keepInstallationId({ store }));
  await prepareLogTables(logs, known, AbortSignal.timeout(tablesMsMax));
}

async function planAll({ database, logs }: Config) {
  const steps = await listMissingSteps(database);
  const servers = await planLogTables(logs, AbortSignal.timeout(tablesMsMax));
  const said = steps.length === 0 ? 'The database is up to date.' : `Would apply ${steps.join(', ')}.`;
  const planned = servers.map(({ server, statements }) =>
    statements.length === 0
      ? `-- ${server}: nothing to do.`
      : [`-- ${server}:`, ...statements.map(sql => `${sql};`)].join('\n'),
  );
  return { text: [said, ...planned].join('\n'), json: { dryRun: true, steps, servers } };
}
