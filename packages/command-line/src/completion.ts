/** Writes scripts with which shells complete commands, options and option values. */
import { writeBashCompletion } from './bashCompletion.ts';
import type { CommandWords } from './commandMatching.ts';
import { writeFishCompletion } from './fishCompletion.ts';
import { writeZshCompletion } from './zshCompletion.ts';

export const completedShells = ['bash', 'zsh', 'fish'] as const;

const writers = { bash: writeBashCompletion, zsh: writeZshCompletion, fish: writeFishCompletion };

/** The program's name must be valid within a shell function's name. */
export function writeCompletion(
  shell: (typeof completedShells)[number],
  program: string,
  commands: readonly CommandWords[],
): string {
  return writers[shell](program, commands);
}
