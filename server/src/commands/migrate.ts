/** `tapedeck migrate`: brings the database to this version ahead of a start. */
import { prepareDataDirectory } from '../stores/dataDirectory/dataDirectory.ts';
import { migrateMetadata } from '../stores/metadata/store.ts';
import type { Command } from './command.ts';

export const migrate: Command = {
  name: 'migrate',
  usage: '',
  about: 'Bring the database to this version; `serve` does it by itself.',
  options: {},
  positionals: { min: 0, max: 0 },
  run: async config => {
    if (config.database.kind === 'sqlite') await prepareDataDirectory(config.dataDir);
    const applied = await migrateMetadata(config.database);
    const text =
      applied.length === 0
        ? 'The database is up to date.'
        : `Applied ${applied.map(({ name }) => name).join(', ')}.`;
    return { text, json: { applied } };
  },
};
