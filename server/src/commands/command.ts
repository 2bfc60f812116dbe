/** What a command of the command line is, and how it answers: for people, or with `--json` for programs. */
import type { ParseArgsOptionsConfig } from 'node:util';
import type { Config } from '../config.ts';
import type { ManagementDeps } from '../domain/management.ts';
import { systemClock } from '../domain/ports/clock.ts';
import { openMetadataStore } from '../stores/metadata/store.ts';

export type CommandArguments = {
  /** What stands after the words of the command. */
  positionals: readonly string[];
  text(name: string): string | undefined;
  list(name: string): string[];
  flag(name: string): boolean;
};

/** Text for people ends with a line break of its own; `json` is what `--json` prints instead. */
export type CommandAnswer = { text: string; json: unknown; failed?: boolean };

export type Command = {
  /** `token create` */
  name: string;
  /** What follows the name, as shown in the help. */
  usage: string;
  about: string;
  options: ParseArgsOptionsConfig;
  positionals: { min: number; max: number };
  /** null: the command has printed what it had to say. */
  run(config: Config, given: CommandArguments): Promise<CommandAnswer | null>;
};

/** The command line works on the store itself; a running service sees the change by its revision. */
export async function withStore<T>(config: Config, work: (deps: ManagementDeps) => Promise<T>): Promise<T> {
  await using store = await openMetadataStore(config.database);
  // Awaited here: the store closes when this function ends.
  return await work({ store, clock: systemClock, announceChange: async () => undefined });
}

/** Columns as wide as their widest cell. */
export function printTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map(row => row[column]?.length ?? 0)));
  const lines = all.map(row =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return lines.join('\n');
}
