/** What a command of the command line is, and how it answers: for people, or with `--json` for programs. */
import type { ParseArgsOptionsConfig } from 'node:util';
import type { Config, Environment } from '../config.ts';
import type { ManagementDeps } from '../domain/management.ts';
import { systemClock } from '../domain/ports/clock.ts';
import { ensureDefaultProject } from '../domain/projects.ts';
import { prepareDataDirectory } from '../stores/dataDirectory/dataDirectory.ts';
import { openMetadataStore } from '../stores/metadata/store.ts';

export type CommandArguments = {
  /** What stands after the words of the command. */
  positionals: readonly string[];
  text(name: string): string | undefined;
  list(name: string): string[];
  flag(name: string): boolean;
  /** For the commands that are about it. */
  environment: Environment;
};

/** Text for people ends with a line break of its own; `json` is what `--json` prints instead. */
type CommandAnswer = { text: string; json: unknown; failed?: boolean };

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

/** Whoever has the machine. */
export const commandLine = { kind: 'command line' } as const;

/**
 * The command line works on the store itself, also before the first start; a running service sees the change by its
 * revision.
 */
export async function withStore<T>(config: Config, work: (deps: ManagementDeps) => Promise<T>): Promise<T> {
  if (config.database.kind === 'sqlite') await prepareDataDirectory(config.dataDir);
  await using store = await openMetadataStore(config.database);
  const deps: ManagementDeps = { store, clock: systemClock, announceChange: async () => undefined };
  await ensureDefaultProject(deps);
  // Awaited here: the store closes when this function ends.
  return await work(deps);
}

/** Columns as wide as their widest cell. */
export function printTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  // Names come from users, and a terminal obeys control characters.
  const all = [head, ...rows].map(row => row.map(cell => cell.replaceAll(/\p{Cc}/gu, '\u{fffd}')));
  const widths = head.map((_, column) => Math.max(...all.map(row => row[column]?.length ?? 0)));
  const lines = all.map(row =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return lines.join('\n');
}
