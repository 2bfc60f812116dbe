/** Lists the words that may follow at each position of a command line, for every shell. */

import type { CommandWords, OptionWords } from './commandMatching.ts';
import { listGroups } from './help.ts';

/** Lists the first words, each with a short description. */
export function listFirstWords(commands: readonly CommandWords[]): [word: string, about: string][] {
  const single = commands
    .filter(({ name }) => !name.includes(' '))
    .map(({ name, about }): [string, string] => [name, about]);
  const groups = listGroups(commands).map((group): [string, string] => {
    const names = listSecondWords(commands, group).map(([word]) => word);
    return [group, names.join(', ')];
  });
  return [...single, ...groups, ['help', 'Show the help of a command.']];
}

/** Lists the words that can follow a group's name. */
export function listSecondWords(commands: readonly CommandWords[], group: string): [string, string][] {
  return commands.flatMap(({ name, about }): [string, string][] => {
    const [first, second] = name.split(' ');
    return first === group && second !== undefined ? [[second, about]] : [];
  });
}

/** Includes the options that every command has. */
export function listOptions({ options }: CommandWords): [name: string, option: OptionWords][] {
  const everywhere: Record<string, OptionWords> = {
    json: { type: 'boolean', about: 'answer in JSON' },
    help: { type: 'boolean', about: 'show the help of the command' },
  };
  return Object.entries({ ...options, ...everywhere });
}

/** Returns an option in each of its forms. */
export function listOptionForms([name, { short }]: [string, OptionWords]): string[] {
  return short === undefined ? [`--${name}`] : [`--${name}`, `-${short}`];
}

/** Quotes a text with single quotes, for bash and zsh. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
