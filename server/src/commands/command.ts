/** Defines a command and its output: text for people, or JSON with `--json`. */
import { openDiskReserve } from '@tapedeck/blob-stores';
import type { CommandWords, GivenWords } from '@tapedeck/command-line';
import type { Config, Environment } from '../config.ts';
import { openPasswords } from '../domain/identity/passwords.ts';
import { systemClock } from '../domain/ports/clock.ts';
import type { ManagementDeps } from '../domain/projects/auditedChanges.ts';
import { ensureDefaultProject } from '../domain/projects/projects.ts';
import { prepareDataDirectory } from '../stores/dataDirectory/dataDirectory.ts';
import { openMetadataStore } from '../stores/metadata/store.ts';

export type CommandArguments = GivenWords & {
  /** Whether the answer is for programs. */
  isJson: boolean;
  /** For the commands that are about it; completed by the settings of the running service. */
  environment: Environment;
  /** The unchanged environment. */
  ownEnvironment: Environment;
};

/** Text for people ends with a line break of its own; `json` is what `--json` prints instead. */
type CommandAnswer = {
  text: string;
  json: unknown;
  /** For programs that read lines while the command runs. */
  isOneLine?: boolean;
  failed?: boolean;
};

export type Command = CommandWords & {
  /** It concerns the place that its own environment names, even if a service runs elsewhere. */
  ignoresServices?: boolean;
  /** It would do less without the secret of the installation. */
  needsSecret?: boolean;
  /** A number: the command has printed what it had to say, and this is its exit code. */
  run(config: Config, given: CommandArguments): Promise<CommandAnswer | number>;
};

/** The person at the machine. */
export const commandLine = { kind: 'command line' } as const;

/**
 * The command line works on the store itself, also before the first start; a running service sees the change by its
 * revision.
 */
export async function withStore<T>(config: Config, work: (deps: ManagementDeps) => Promise<T>): Promise<T> {
  if (config.database.kind === 'sqlite') await prepareDataDirectory(config.dataDir);
  const isShared = config.database.kind === 'postgres';
  const reserve = isShared ? undefined : await openDiskReserve(config.dataDir);
  await using store = await openMetadataStore(config.database, { reserve });
  const deps: ManagementDeps = {
    ...{ store, clock: systemClock, passwords: openPasswords() },
    announceChange: async () => undefined,
  };
  await ensureDefaultProject(deps);
  // Awaited here: the store closes when this function ends.
  return await work(deps);
}
