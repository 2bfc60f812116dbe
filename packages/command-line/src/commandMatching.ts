/** Finds the command that a line names, and parses its arguments. */
import { parseArgs } from 'node:util';

export type OptionWords = {
  type: 'string' | 'boolean';
  /** A short description for help and completion. */
  about: string;
  short?: string;
  multiple?: boolean;
  /** The only allowed values. */
  values?: readonly string[];
  isRequired?: boolean;
};

export type CommandWords = {
  /** `token create` */
  name: string;
  /** The arguments after the name, as shown in the help. */
  usage: string;
  about: string;
  options: Readonly<Record<string, OptionWords>>;
  /** Absent: the command takes none. With `max` of Infinity, they include words that begin with a dash but are not short options. */
  positionals?: {
    min: number;
    max: number;
    /** The only allowed words. */
    values?: readonly string[];
    /** Whether they name files or folders, which shells complete. */
    arePaths?: boolean;
  };
};

export type GivenWords = {
  /** Arguments after the words of the command, without options. */
  positionals: readonly string[];
  text(name: string): string | undefined;
  /** Repeated, or separated by commas. */
  list(name: string): string[];
  flag(name: string): boolean;
};

/** The command does not accept the words. The message says what to write instead. */
export class Misuse extends Error {}

export function findCommand<C extends CommandWords>(
  commands: readonly C[],
  words: readonly string[],
): C | undefined {
  return commands.find(({ name }) => name.split(' ').every((word, index) => words[index] === word));
}

export function readWords(program: string, command: CommandWords, words: readonly string[]): GivenWords {
  const { values, positionals } = parseWords(program, command, words.slice(command.name.split(' ').length));
  const { min, max } = command.positionals ?? { min: 0, max: 0 };
  if (positionals.length < min || positionals.length > max) throw new Misuse(describeUsage(program, command));
  requireKnownValues(program, command, { values, positionals });
  return {
    positionals,
    text: name => {
      const value = values[name];
      return typeof value === 'string' ? value : undefined;
    },
    list: name => {
      const value = values[name];
      const items = Array.isArray(value) ? value : [];
      return items
        .flatMap(item => String(item).split(','))
        .map(item => item.trim())
        .filter(item => item !== '');
    },
    flag: name => values[name] === true,
  };
}

function requireKnownValues(program: string, command: CommandWords, { values, positionals }: Words): void {
  for (const [name, { values: known, isRequired }] of Object.entries(command.options)) {
    const value = values[name];
    if (isRequired && value === undefined)
      throw new Misuse(`--${name} is missing. ${describeUsage(program, command)}`);
    if (known && typeof value === 'string' && !known.includes(value))
      throw new Misuse(`--${name} must be one of ${known.join(', ')}.`);
  }
  const known = command.positionals?.values;
  const unknown = known && positionals.find(word => !known.includes(word));
  if (unknown !== undefined) throw new Misuse(`"${unknown}" must be one of ${known?.join(', ')}.`);
}

type Words = { values: Readonly<Record<string, unknown>>; positionals: string[] };

function parseWords(program: string, command: CommandWords, args: readonly string[]): Words {
  try {
    const marked = acceptsAnyWords(command) ? args.map(word => markDashed(word, command)) : [...args];
    const { values, positionals } = parseArgs({
      args: marked,
      options: command.options,
      allowPositionals: true,
    });
    return { values, positionals: positionals.map(word => word.replace(mark, '')) };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.replace(/\.? To specify.*$/s, '') : String(cause);
    throw new Misuse(`${reason}. ${describeUsage(program, command)}`);
  }
}

/** Such words form a text in which a dash has another meaning. */
function acceptsAnyWords({ positionals }: CommandWords): boolean {
  return positionals?.max === Number.POSITIVE_INFINITY;
}

const mark = '\0'; // command lines cannot contain it

/** `-word` stays a word if it is not a short option; `-n 5` and `-n5` are the same. */
function markDashed(word: string, { options }: CommandWords): string {
  const [, letter, rest = ''] = /^-([^-])(.*)$/s.exec(word) ?? [];
  if (letter === undefined) return word;
  const option = Object.values(options).find(({ short }) => short === letter);
  const isOption = option !== undefined && (rest === '' || (option.type === 'string' && /^\d+$/.test(rest)));
  return isOption ? word : mark + word;
}

function describeUsage(program: string, { name, usage }: CommandWords): string {
  return `Write: ${program} ${name} ${usage}`;
}
