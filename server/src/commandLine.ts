/** The command line: words become a command, its answer or its failure becomes output. */
import { parseArgs } from 'node:util';
import { Failure } from '@tapedeck/failures';
import type { Command, CommandArguments } from './commands/command.ts';
import { commands } from './commands/index.ts';
import { type Environment, processEnvironment, readConfig } from './config.ts';
import { SettingError } from './settingValues.ts';
import { version } from './version.ts';

/** Where the words of a command go. */
type Output = { print(text: string): void; complain(text: string): void };

/** Resolves to the exit code. */
export async function runCommandLine(
  args: readonly string[],
  output: Output,
  environment: Environment = processEnvironment,
): Promise<number> {
  const words = args.filter(arg => arg !== '--json'); // wherever it stands
  const print = (text: string) => {
    output.print(`${text}\n`);
    return 0;
  };
  if (words[0] === '--version' || words[0] === '-v') return print(version);
  const command = commands.find(({ name }) => name.split(' ').every((word, index) => words[index] === word));
  if (words.length === 0 || words.includes('--help') || words[0] === '-h' || words[0] === 'help')
    return print(describeCommands(command));
  try {
    if (command === undefined) throw new UsageError(`There is no command "${words.slice(0, 2).join(' ')}".`);
    const rest = words.slice(command.name.split(' ').length);
    const given = { ...readArguments(command, rest), environment };
    const answer = await command.run(readConfig(environment), given);
    if (answer !== null)
      print(words.length < args.length ? JSON.stringify(answer.json, null, 2) : answer.text);
    return answer?.failed ? 1 : 0;
  } catch (error) {
    output.complain(`${describeFailure(error)}\n`);
    return 1;
  }
}

class UsageError extends Error {}

function readArguments(command: Command, args: string[]): Omit<CommandArguments, 'environment'> {
  const { values, positionals } = parseWords(command, args);
  const { min, max } = command.positionals;
  if (positionals.length < min || positionals.length > max) {
    throw new UsageError(`Write: tapedeck ${command.name} ${command.usage}`);
  }
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

type Words = { values: Readonly<Record<string, unknown>>; positionals: string[] };

function parseWords(command: Command, args: string[]): Words {
  try {
    return parseArgs({ args, options: command.options, allowPositionals: true });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.replace(/\.? To specify.*$/s, '') : String(cause);
    throw new UsageError(`${reason}. Write: tapedeck ${command.name} ${command.usage}`);
  }
}

/** What is expected is one sentence; a bug shows where it is. */
function describeFailure(error: unknown): string {
  if (error instanceof Failure || error instanceof SettingError || error instanceof UsageError) {
    return error.message;
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function describeCommands(only: Command | undefined): string {
  const shown = only ? [only] : commands;
  const lines = shown.map(
    ({ name, usage, about }) => `  tapedeck ${[name, usage].join(' ').trim()}\n      ${about}`,
  );
  return [
    'Usage:',
    ...lines,
    'Each command takes --json. Settings come from the environment; see `tapedeck config`.',
  ].join('\n');
}
