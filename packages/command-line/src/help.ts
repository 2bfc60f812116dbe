/** Writes the help: for all commands, a group such as `token`, or one command with its options. */
import { type CommandWords, findCommand } from './commandMatching.ts';

/** Lists each command's syntax and purpose. */
export function describeCommands(program: string, commands: readonly CommandWords[]): string {
  return commands
    .map(({ name, usage, about }) => `  ${[program, name, usage].join(' ').trim()}\n      ${about}`)
    .join('\n');
}

/** One command with its options. */
export function describeCommand(program: string, { name, usage, about, options }: CommandWords): string {
  const rows = Object.entries(options).map(([option, { short, type, about: phrase, values }]) => {
    const flag = `${short === undefined ? '' : `-${short}, `}--${option}`;
    const value = type === 'boolean' ? '' : ` ${values?.join('|') ?? 'VALUE'}`;
    return [flag + value, phrase] as const;
  });
  const width = Math.max(0, ...rows.map(([flag]) => flag.length));
  const lines = rows.map(([flag, phrase]) => `  ${flag.padEnd(width)}  ${phrase}`);
  const shown = `Usage: ${[program, name, usage].join(' ').trim()}\n\n${about}`;
  return lines.length === 0 ? shown : `${shown}\n\nOptions:\n${lines.join('\n')}`;
}

/** Lists first words that begin several commands or longer names. */
export function listGroups(commands: readonly CommandWords[]): string[] {
  const firstWords = commands.flatMap(({ name }) =>
    name.includes(' ') ? [name.split(' ', 1)[0] ?? ''] : [],
  );
  return [...new Set(firstWords)];
}

/** Returns the words that a line asks help for: `help token create`, `token create --help`, `--help`. null: it does not ask for help. */
export function findHelpTopic(words: readonly string[]): string[] | null {
  const [first, ...others] = words;
  const end = words.indexOf('--');
  const hasFlag = (end === -1 ? words : words.slice(0, end)).includes('--help');
  const isRequested = first === undefined || first === 'help' || first === '-h' || hasFlag;
  if (!isRequested) return null;
  const named = first === 'help' || first === '-h' ? others : words;
  const firstOption = named.findIndex(word => word.startsWith('-'));
  return firstOption === -1 ? [...named] : named.slice(0, firstOption);
}

/** Returns the commands of a topic: one, a group, or all if it names none. null: there is no such command. */
export function findTopic<C extends CommandWords>(
  commands: readonly C[],
  topic: readonly string[],
): readonly C[] | null {
  if (topic.length === 0) return commands;
  const command = findCommand(commands, topic);
  if (command !== undefined) return [command];
  const group = commands.filter(({ name }) => name.startsWith(`${topic[0]} `));
  return topic.length === 1 && group.length > 0 ? group : null;
}
