/** Decides which parts of the data directory move, by the settings. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { Misuse } from '@tapedeck/command-line';
import { type MovedPart, type MoveState, readMove } from '@tapedeck/domain/operations/installationMove';
import { ServiceError } from '@tapedeck/domain/vocabulary';
import { openMetadataStore } from '@tapedeck/metadata-store';
import { nameDatabase } from '@tapedeck/metadata-store/mirroring';
import { SettingError } from '@tapedeck/values/settings';
import { type Config, type Environment, readConfig } from '../../config.ts';
import { nameSetting, type SettingName } from '../../settings.ts';
import { readKeptSecret } from '../../stores/dataDirectory/secretFile.ts';
import type { CommandArguments } from '../command.ts';

/** Settings that the command also takes as options. */
const targetSettings = [
  'DATABASE_URL',
  'S3_BUCKET',
  'S3_ENDPOINT',
  'S3_REGION',
  'S3_ACCESS_KEY_ID',
  'S3_SECRET_ACCESS_KEY',
  'S3_FORCE_PATH_STYLE',
  'S3_PUBLIC_URL',
  'CLICKHOUSE_URL',
  'CLICKHOUSE_CLUSTER',
] as const satisfies readonly SettingName[];

const nameOption = (setting: SettingName) => setting.toLowerCase().replaceAll('_', '-');

export const targetOptions = Object.fromEntries(
  targetSettings.map(setting => [
    nameOption(setting),
    { type: 'string' as const, about: `in place of ${nameSetting(setting)}` },
  ]),
);

export type MovePlan = {
  /** The configuration that the service will start with after the move. */
  to: Config;
  /** The current configuration: parts that move are in the data directory, all others stay where they are. */
  from: Config;
  /** Parts in the order of copying. Parts that others refer to go last. */
  parts: readonly MovedPart[];
  /** An earlier try left the database file behind, but ended before it recorded that in the new database. */
  isToBeNoted: boolean;
  /** The settings of the targets, as lines of an environment file. */
  lines: readonly string[];
};

export async function makePlan(given: CommandArguments): Promise<MovePlan> {
  const environment = joinSettings(given);
  const to = readTarget(environment);
  const targets = listTargets(to);
  if (targets.length === 0)
    throw new Misuse(
      `Say where to: give the settings that the service is to have, such as ${nameSetting('DATABASE_URL')}, ${nameSetting('S3_BUCKET')} or ${nameSetting('CLICKHOUSE_URL')}, or the same as options, such as --database-url.`,
    );
  const { from, state } = await findSource(to);
  const isToBeNoted = from === to && state.copying.database !== undefined;
  const moved = isToBeNoted ? { ...state.moved, ...state.copying } : state.moved;
  const parts = targets.filter(part => moved[part] === undefined && liesHere(part, to.dataDir));
  if (to.database.kind === 'postgres') await requireSameSecret(to);
  const lines = targetSettings.flatMap(name => {
    const value = environment[nameSetting(name)];
    return value ? [`${nameSetting(name)}=${value}`] : [];
  });
  return { to, from: { ...from, ...placeOwn(parts, to) }, parts, isToBeNoted, lines };
}

/** The environment was checked earlier, so a wrong value came from an option. */
function readTarget(environment: Environment): Config {
  try {
    return readConfig(environment);
  } catch (error) {
    throw error instanceof SettingError ? new Misuse(error.message) : error;
  }
}

function joinSettings(given: CommandArguments): Environment {
  const environment: Record<string, string | undefined> = { ...given.environment };
  for (const setting of targetSettings) {
    const text = given.text(nameOption(setting));
    if (text !== undefined) environment[nameSetting(setting)] = text;
  }
  return environment;
}

function listTargets({ blobs, logs, database }: Config): MovedPart[] {
  const targets: MovedPart[] = [];
  if (blobs.kind === 's3') targets.push('media');
  if (logs.kind === 'clickhouse') targets.push('logs');
  if (database.kind === 'postgres') targets.push('database');
  return targets;
}

const ownNames: Readonly<Record<MovedPart, string>> = {
  database: 'tapedeck.db',
  media: 'media',
  logs: 'logs',
};

function liesHere(part: MovedPart, dataDir: string): boolean {
  return existsSync(path.join(dataDir, ownNames[part]));
}

type Places = Partial<Pick<Config, 'database' | 'blobs' | 'logs' | 'journal'>>;

function placeOwn(parts: readonly MovedPart[], { dataDir }: Config): Places {
  const place = (part: MovedPart) => path.join(dataDir, ownNames[part]);
  return {
    ...(parts.includes('database') && { database: { kind: 'sqlite', file: place('database') } }),
    ...(parts.includes('media') && { blobs: { kind: 'disk', directory: place('media') } }),
    ...(parts.includes('logs') && { logs: { kind: 'embedded', directory: place('logs') } }),
    ...(parts.length > 0 && { journal: null }), // parts in the data directory have their journal there
  };
}

type Source = { from: Config; state: MoveState };

/** Finds the database that records moves: the file, unless an earlier move left it behind. */
async function findSource(to: Config): Promise<Source> {
  const file = path.join(to.dataDir, ownNames.database);
  const inOther = async () => ({ from: to, state: await withStore(to, readMove) });
  if (!existsSync(file)) {
    if (to.database.kind === 'postgres') return inOther();
    throw new ServiceError(
      'not_found',
      `The data directory ${to.dataDir} holds no installation; set ${nameSetting('DATA_DIR')} to the one of the service.`,
    );
  }
  const own: Config = { ...to, database: { kind: 'sqlite', file } };
  const state = await withStore(own, readMove);
  const { database: former } = state.moved;
  if (former === undefined) return { from: own, state };
  if (to.database.kind === 'postgres' && former.includes(nameDatabase(to.database))) return inOther();
  throw new ServiceError(
    'unavailable',
    `The database of this installation was moved to ${former[0]}: name that as ${nameSetting('DATABASE_URL')}.`,
  );
}

async function withStore<T>(
  { database }: Config,
  work: (deps: { store: Awaited<ReturnType<typeof openMetadataStore>> }) => Promise<T>,
): Promise<T> {
  await using store = await openMetadataStore(database);
  // Awaited here, because the store closes when this function returns.
  return await work({ store });
}

/** Sessions and presigned URLs stay valid only under the same secret. */
async function requireSameSecret({ secret, dataDir }: Config): Promise<void> {
  const kept = await readKeptSecret(dataDir);
  if (secret === null || kept === null || secret === kept) return;
  throw new ServiceError(
    'unavailable',
    `${nameSetting('SECRET')} is not the secret in ${path.join(dataDir, 'secret')}: sessions and presigned URLs would end. ` +
      'Give the text of that file, or remove the file if the service has been running with the other one.',
  );
}
