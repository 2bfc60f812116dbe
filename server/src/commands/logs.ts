/** `tapedeck logs`: queries a running service through the client and prints entries as they arrive. */
import { logCommandOptions, logCommandUsage, runLogCommand } from '@tapedeck/log-terminal';
import type { Command } from './command.ts';

export const logs: Command = {
  name: 'logs',
  usage: `${logCommandUsage} [--url URL] [--token T] [--project P]`,
  about:
    "Show matching log entries, newest last: tapedeck logs 'level:error player.id:43' --since 1h. " +
    'Without --url it reads from the service on this machine and needs no token.',
  options: {
    ...logCommandOptions,
    url: { type: 'string', about: 'address of another service' },
    token: {
      type: 'string',
      about: 'logs token; visible to other users of the machine, so prefer TAPEDECK_TOKEN',
    },
    project: { type: 'string', about: 'slug or name of the project' },
  },
  positionals: { min: 0, max: Number.POSITIVE_INFINITY },
  run: (config, given) =>
    runLogCommand(given, async question => {
      // Loaded here, so that other commands start without the contract.
      const { openSource } = await import('./logSource.ts');
      return openSource(config, given, question);
    }),
};
