/** Lists the words that can stand at each place of a command line, for every shell. */
import { listGroups } from './help.ts';
import type { CommandWords, OptionWords } from './words.ts';

/** The words with which a line begins, each with a phrase about it. */
export function listFirstWords(commands: readonly CommandWords[]): [word: string, about: string][] {
  const single = commands
    .filter(({ name }) => !name.includes(' '))
    .map(({ name, about }): [string, string] => [name, about]);
  const groups = listGroups(commands).map((group): [string, string] => {
    const names = listSecondWords(commands, group).map(([word]) => word);
    return [group, names.join(', ')];
  });
  return [...single, ...groups, ['help', 'Show how a command is written.']];
}

/** The words that follow the first one of a group. */
export function listSecondWords(commands: readonly CommandWords[], group: string): [string, string][] {
  return commands.flatMap(({ name, about }): [string, string][] => {
    const [first, second] = name.split(' ');
    return first === group && second !== undefined ? [[second, about]] : [];
  });
}

/** With what every command takes. */
export function listOptions({ options }: CommandWords): [name: string, option: OptionWords][] {
  const everywhere: Record<string, OptionWords> = {
    json: { type: 'boolean', about: 'answer in JSON' },
    help: { type: 'boolean', about: 'show how the command is written' },
  };
  return Object.entries({ ...options, ...everywhere });
}

/** An option as it stands on a line, in each of its forms. */
export function spellOption([name, { short }]: [string, OptionWords]): string[] {
  return short === undefined ? [`--${name}`] : [`--${name}`, `-${short}`];
}

/** Between single quotes, as bash and zsh read them. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
