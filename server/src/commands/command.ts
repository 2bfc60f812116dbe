/** Defines a command and its output: text for people, or JSON with `--json`. */
import { openDiskReserve } from '@tapedeck/blob-stores';
import type { CommandWords, GivenWords } from '@tapedeck/command-line';
import { openPasswords } from '@tapedeck/domain/identity/passwords';
import { systemClock } from '@tapedeck/domain/ports/clock';
import type { ManagementDeps } from '@tapedeck/domain/projects/auditedChanges';
import { ensureDefaultProject } from '@tapedeck/domain/projects/projects';
import { openMetadataStore } from '@tapedeck/metadata-store';
import type { Config, Environment } from '../config.ts';
import { prepareDataDirectory } from '../stores/dataDirectory/dataDirectory.ts';
import { finishRestore } from '../stores/dataDirectory/dataDraft.ts';

export type CommandArguments = GivenWords & {
  /** Whether the output is for programs. */
  isJson: boolean;
  /** The environment completed by the running service's settings, for commands that use it directly. */
  environment: Environment;
  /** The environment as given. */
  ownEnvironment: Environment;
};

/** `text` is for people and ends with a line break; `--json` prints `json` instead. */
type CommandAnswer = {
  text: string;
  json: unknown;
  /** One line of JSON, for programs that read as it runs. */
  isOneLine?: boolean;
  failed?: boolean;
};

export type Command = CommandWords & {
  /** Uses only its own environment, even if a service runs elsewhere. */
  ignoresServices?: boolean;
  /** Does less without the secret of the installation. */
  needsSecret?: boolean;
  /** Resolves to a number if it has already printed its output: the exit code. */
  run(config: Config, given: CommandArguments): Promise<CommandAnswer | number>;
};

/** The person at this machine. */
export const commandLine = { kind: 'command line' } as const;

/** Opens the store for a command, even before the first start. A running service notices changes by the store's revision. */
export async function withStore<T>(config: Config, work: (deps: ManagementDeps) => Promise<T>): Promise<T> {
  if (config.database.kind === 'sqlite') {
    await prepareDataDirectory(config.dataDir);
    await finishRestore(config.dataDir);
  }
  const isShared = config.database.kind === 'postgres';
  const reserve = isShared ? undefined : await openDiskReserve(config.dataDir);
  await using store = await openMetadataStore(config.database, { reserve });
  const deps: ManagementDeps = {
    store,
    clock: systemClock,
    passwords: openPasswords(),
    announceChange: async () => undefined,
  };
  await ensureDefaultProject(deps);
  // Awaited here, because the store closes when this function returns.
  return await work(deps);
}
