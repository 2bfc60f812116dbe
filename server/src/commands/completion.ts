/** `tapedeck completion`: prints the completion script for a shell. */
import assert from 'node:assert/strict';
import { completedShells, writeCompletion } from '@tapedeck/command-line';
import type { Command } from './command.ts';

const program = 'tapedeck';

/** Also completes itself. */
export function makeCompletion(listCommands: () => readonly Command[]): Command {
  return {
    name: 'completion',
    usage: completedShells.join('|'),
    about: 'Print a completion script: source <(tapedeck completion bash).',
    options: {},
    ignoresServices: true,
    positionals: { min: 1, max: 1, values: completedShells },
    run: async (_config, { positionals }) => {
      const shell = completedShells.find(known => known === positionals[0]);
      assert(shell !== undefined); // the command line refuses all others
      const script = writeCompletion(shell, program, listCommands());
      return { text: script.trimEnd(), json: { shell, script } };
    },
  };
}
