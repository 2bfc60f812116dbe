/** Scripts by which shells complete commands, options and the values that options take. */
import { writeBashCompletion } from './bashCompletion.ts';
import { writeFishCompletion } from './fishCompletion.ts';
import type { CommandWords } from './words.ts';
import { writeZshCompletion } from './zshCompletion.ts';

export const completedShells = ['bash', 'zsh', 'fish'] as const;

const writers = { bash: writeBashCompletion, zsh: writeZshCompletion, fish: writeFishCompletion };

/** The program's name must be one that a shell takes as part of a function's name. */
export function writeCompletion(
  shell: (typeof completedShells)[number],
  program: string,
  commands: readonly CommandWords[],
): string {
  return writers[shell](program, commands);
}
