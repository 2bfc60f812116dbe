/**
 * Running services note their settings here, so that a command in another terminal finds them. All services of a user share one folder among the
 * temporary files. Secrets are left out.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { lstat, mkdir, readdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { hasCode, isHeld, readMarkFile } from '@tapedeck/durable-files';
import { Failure } from '@tapedeck/values/failure';
import { type Config, type Environment, listGivenSettings } from '../config.ts';
import { findDefault, nameSetting } from '../settings.ts';
import { programDirectory } from '../version.ts';
import type { Command, CommandArguments } from './command.ts';

type RunningService = {
  pid: number;
  url: string;
  /** The directory of the program. Other installations have other services. */
  program: string;
  dataDir: string;
  settings: Record<string, string>;
  /** Names of secret settings. */
  secrets: string[];
};

const renewalMs = 86_400_000; // systems delete temporary files that are untouched for ten days

/** Keeps the record until disposed of. */
export async function recordService(
  config: Config,
  environment: Environment,
  url: string,
): Promise<AsyncDisposable> {
  const directory = await openDirectory();
  if (directory === null)
    throw new Failure(
      'unavailable',
      `${nameDirectory()} cannot be created, or another user can write there.`,
    );
  const file = path.join(directory, nameFile(config.dataDir));
  const { settings, secrets } = listGivenSettings(environment);
  const { dataDir } = config;
  const own = { pid: process.pid, url, program: programDirectory };
  const service: RunningService = { ...own, dataDir, settings, secrets };
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, JSON.stringify(service), { mode: 0o600 });
  await rename(draft, file);
  const renewal = setInterval(() => {
    const now = new Date();
    utimes(file, now, now).catch(() => {}); // the file was deleted: commands do without it
  }, renewalMs);
  renewal.unref();
  return {
    [Symbol.asyncDispose]: async () => {
      clearInterval(renewal);
      await rm(file, { force: true });
    },
  };
}

/** Settings that only the running service has. */
const serviceSettings = [
  ...(['ADMIN_EMAIL', 'SYSLOG', 'FORWARD', 'SMTP_FROM', 'URL'] as const),
  ...(['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_NAME', 'OIDC_SCOPES', 'OIDC_CREATE'] as const),
] as const;
/** A terminal that sets one of these chooses itself what a command works on. */
const placeSettings = ['DATA_DIR', 'DATABASE_URL', 'S3_BUCKET', 'CLICKHOUSE_URL', 'URL'] as const;

/** Completes the environment of a command with the settings of the running service. */
export async function completeEnvironment(
  command: Command,
  given: CommandArguments,
): Promise<CommandArguments['environment']> {
  const { environment } = given;
  const isNamed = placeSettings.some(name => Boolean(environment[nameSetting(name)]?.trim()));
  if (command.ignoresServices || isNamed || given.text('url') !== undefined) return environment;
  const service = await findService();
  if (service === null) return environment;
  const needed = ['DATABASE_URL', 'CLICKHOUSE_URL', 'S3_SECRET_ACCESS_KEY', 'S3_ENDPOINT'] as const;
  const secrets = [...needed, ...(command.needsSecret ? (['SECRET'] as const) : [])].map(nameSetting);
  const missing = secrets.filter(name => service.secrets.includes(name) && !environment[name]?.trim());
  if (missing.length > 0)
    throw new Failure(
      'unavailable',
      `The running service (${describe(service)}) uses ${missing.join(' and ')}, which commands cannot read from it: set ${missing.length > 1 ? 'them' : 'it'} here, too.`,
    );
  return { ...listUsableSettings(service), ...dropEmpty(environment) };
}

/** Lists settings taken from a running service, without those that are wrong without its secret. */
function listUsableSettings({ settings, dataDir }: RunningService): Environment {
  const names = serviceSettings.map<string>(nameSetting);
  const taken = Object.entries(settings).filter(([name]) => !names.includes(name));
  return { ...Object.fromEntries(taken), [nameSetting('DATA_DIR')]: dataDir };
}

/** Treats empty values as absent, like the service. */
function dropEmpty(environment: Environment): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([, value]) => value?.trim()));
}

/** null: none runs. Throws if several may be meant. */
async function findService(): Promise<RunningService | null> {
  const running = (await listServices()).filter(service => service.program === programDirectory);
  const usual = path.resolve(findDefault('DATA_DIR'));
  const here = running.find(({ dataDir }) => dataDir === usual);
  const [first, ...others] = running;
  if (here !== undefined || first === undefined) return here ?? null;
  const isUsed = existsSync(path.join(usual, 'tapedeck.db'));
  if (others.length === 0 && !isUsed) return first;
  const stopped = isUsed ? `\n  ${usual} (not running)` : '';
  throw new Failure(
    'unavailable',
    `Several data directories are possible. Name one with TAPEDECK_DATA_DIR:${running.map(service => `\n  ${describe(service)}`).join('')}${stopped}`,
  );
}

function describe({ dataDir, url, pid }: RunningService): string {
  return `${dataDir}, ${url}, process ${pid}`;
}

/** Lists services that still hold their data directory. Deletes the records of all others. */
async function listServices(): Promise<RunningService[]> {
  const directory = await openDirectory();
  if (directory === null) return [];
  const names = (await readdir(directory)).filter(name => name.endsWith('.json'));
  const found = await Promise.all(
    names.sort().map(async name => {
      const file = path.join(directory, name);
      const service = await readService(file);
      if (service !== null && (await isRunning(service))) return [service];
      await rm(file, { force: true });
      return [];
    }),
  );
  return found.flat();
}

async function readService(file: string): Promise<RunningService | null> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as RunningService; // only this user writes there, through the function above
  } catch (error) {
    if (error instanceof SyntaxError || hasCode(error, ['ENOENT'])) return null;
    throw error;
  }
}

/** Checks the lock, because another process may have the process id by now. */
async function isRunning({ dataDir, url }: RunningService): Promise<boolean> {
  if (!existsSync(dataDir)) return false;
  return (await readMarkFile(dataDir, 'address')) === url && isHeld(dataDir);
}

/** null: the folder cannot be made, or another user can write there; commands trust its files. */
async function openDirectory(): Promise<string | null> {
  const directory = nameDirectory();
  try {
    await mkdir(directory, { mode: 0o700, recursive: true });
    const found = await lstat(directory);
    const isOurs = found.uid === process.getuid?.() && (found.mode & 0o022) === 0;
    return found.isDirectory() && isOurs ? directory : null;
  } catch (error) {
    if (hasCode(error, ['EACCES', 'EEXIST', 'ENOENT', 'ENOTDIR', 'EROFS', 'ENOSPC'])) return null;
    throw error;
  }
}

/** Uses the user's id, because not every user has a name. */
function nameDirectory(): string {
  return path.join(tmpdir(), `tapedeck-${process.getuid?.() ?? 'user'}`);
}

function nameFile(dataDir: string): string {
  return `${createHash('sha256').update(dataDir).digest('hex').slice(0, 16)}.json`;
}
