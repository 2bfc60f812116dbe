#!/usr/bin/env node
/** The process and the command line: words become a command, its answer or its failure becomes output. */
import { parseArgs } from 'node:util';
import type { Command, CommandArguments } from './commands/command.ts';
import { commands } from './commands/index.ts';
import { readConfig } from './config.ts';
import { SettingError } from './settingValues.ts';
import { version } from './version.ts';
import { ServiceError } from './vocabulary.ts';

process.exitCode = await runCommandLine(process.argv.slice(2));

async function runCommandLine(words: readonly string[]): Promise<number> {
  if (words[0] === '--version' || words[0] === '-v') return print(version);
  const command = commands.find(({ name }) => name.split(' ').every((word, index) => words[index] === word));
  if (words.length === 0 || words.includes('--help') || words[0] === 'help')
    return print(describeCommands(command));
  try {
    if (command === undefined) throw new UsageError(`There is no command "${words.slice(0, 2).join(' ')}".`);
    const rest = words.slice(command.name.split(' ').length);
    const { given, asJson } = readArguments(command, rest);
    const answer = await command.run(readConfig(), given);
    if (answer !== null) print(asJson ? JSON.stringify(answer.json, null, 2) : answer.text);
    return answer?.failed ? 1 : 0;
  } catch (error) {
    return printFailure(error);
  }
}

class UsageError extends Error {}

function readArguments(command: Command, args: string[]): { given: CommandArguments; asJson: boolean } {
  const { values, positionals } = parseWords(command, args);
  const { min, max } = command.positionals;
  if (positionals.length < min || positionals.length > max) {
    throw new UsageError(`Write: tapedeck ${command.name} ${command.usage}`);
  }
  const given: CommandArguments = {
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
  return { given, asJson: values.json === true };
}

type Words = { values: Readonly<Record<string, unknown>>; positionals: string[] };

function parseWords(command: Command, args: string[]): Words {
  try {
    const options = { ...command.options, json: { type: 'boolean' } } as const;
    return parseArgs({ args, options, allowPositionals: true });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.replace(/\.? To specify.*$/s, '') : String(cause);
    throw new UsageError(`${reason}. Write: tapedeck ${command.name} ${command.usage}`);
  }
}

function printFailure(error: unknown): number {
  const isExpected =
    error instanceof ServiceError || error instanceof SettingError || error instanceof UsageError;
  const text = isExpected
    ? error.message
    : error instanceof Error
      ? (error.stack ?? error.message)
      : String(error);
  process.stderr.write(`${text}\n`);
  return 1;
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

function print(text: string): number {
  process.stdout.write(`${text}\n`);
  return 0;
}
