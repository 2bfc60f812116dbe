/** `tapedeck config`: prints every setting with its value, source and default. */
import { printTable } from '@tapedeck/command-line';
import { showSettings } from '../config.ts';
import type { Command } from './command.ts';

export const showConfig: Command = {
  name: 'config',
  usage: '',
  about: 'Print every setting with its value, source and default. Secrets are masked.',
  options: {},
  run: async (_config, { environment, ownEnvironment }) => {
    const settings = showSettings(environment, ownEnvironment);
    const rows = settings.map(({ name, value, source, default: usual, about }) => [
      name,
      value,
      source,
      usual,
      about,
    ]);
    return { text: printTable(['name', 'value', 'source', 'default', 'meaning'], rows), json: settings };
  },
};
