/** Runs a real PostgreSQL for tests, from Debian's package, in a temporary directory, on a free loopback port. It is stopped by its process id. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { repositoryRoot } from '../repository.ts';
import { findFreePort } from './freePorts.ts';

export type PostgresEngine = AsyncDisposable & {
  /** The address of a database; `postgres` always exists. */
  urlOf: (database: string) => string;
  /** Ends every process of the server at once, without a checkpoint. */
  crash: () => Promise<void>;
  restart: () => Promise<void>;
  /** Restarts it as a read-only replica of another server, as after a failover. A normal restart undoes this. */
  restartAsCopy: () => Promise<void>;
  /** Suspends every process of the server: connections stay open but silent. Returns a function that resumes them. */
  freeze: () => () => void;
};

const postgresPackages = ['postgresql'];

const debianDirectory = '/usr/lib/postgresql';
const user = 'tapedeck';
const password = 'throwaway';
const logCharactersMax = 20_000; // enough to hold the reason if it fails to start

/** Without `isDurable`, commits do not wait for the disk; a killed process loses nothing either way. */
export async function startPostgres({ isDurable = false } = {}): Promise<PostgresEngine> {
  const directory = mkdtempSync(path.join(tmpdir(), 'postgres-'));
  try {
    const place = await initialise(directory);
    let server = await startServer(place, isDurable);
    return {
      urlOf: database => `postgres://${user}:${password}@127.0.0.1:${place.port}/${database}`,
      crash: () => stopServer(server),
      restart: async () => {
        rmSync(copySignal(place), { force: true });
        server = await startServer(place, isDurable);
      },
      restartAsCopy: async () => {
        writeFileSync(copySignal(place), '');
        server = await startServer(place, isDurable);
      },
      freeze: () => {
        const frozen = listProcesses(server);
        for (const pid of frozen) process.kill(pid, 'SIGSTOP');
        return () => {
          for (const pid of frozen) process.kill(pid, 'SIGCONT');
        };
      },
      [Symbol.asyncDispose]: async () => {
        await stopServer(server);
        rmSync(directory, { recursive: true, force: true });
      },
    };
  } catch (error) {
    rmSync(directory, { recursive: true, force: true });
    throw error;
  }
}

type Account = { uid: number; gid: number };
type Place = { programs: string; directory: string; data: string; port: number; account: Account };

const copySignal = ({ data }: Place) => path.join(data, 'standby.signal');

async function initialise(directory: string): Promise<Place> {
  const account = findAccount();
  const programs = findPrograms();
  const data = path.join(directory, 'data');
  chownSync(directory, account.uid, account.gid);
  execFileSync('cp', ['-a', findTemplate(programs, account), data]);
  return { programs, directory, data, port: await findFreePort(), account };
}

const clusterOptions = ['-A', 'scram-sha-256', '-E', 'UTF8', '--locale=C', '--no-sync'];

/** Finds an empty database cluster, made once per repository: `initdb` takes a second of processor time, a copy a tenth. */
function findTemplate(programs: string, account: Account): string {
  const given = [programs, account.uid, user, password, ...clusterOptions];
  const name = createHash('sha256').update(JSON.stringify(given)).digest('hex').slice(0, 16);
  const template = path.join(repositoryRoot, '.cache/postgres', name);
  if (existsSync(template)) return template;
  const directory = mkdtempSync(path.join(tmpdir(), 'postgres-template-'));
  const data = path.join(directory, 'data');
  const passwordFile = path.join(directory, 'password');
  writeFileSync(passwordFile, password);
  for (const owned of [directory, passwordFile]) chownSync(owned, account.uid, account.gid);
  const options = ['-D', data, '-U', user, '--pwfile', passwordFile, ...clusterOptions];
  execFileSync(path.join(programs, 'initdb'), options, {
    ...account,
    cwd: directory,
    stdio: 'ignore',
  });
  keepTemplate(data, template);
  rmSync(directory, { recursive: true });
  return template;
}

/** Keeps the template whole or not at all. If two are made at once, one stays. */
function keepTemplate(data: string, template: string): void {
  mkdirSync(path.dirname(template), { recursive: true });
  const draft = `${template}.${process.pid}`;
  execFileSync('cp', ['-a', data, draft]);
  try {
    renameSync(draft, template);
  } catch (error) {
    rmSync(draft, { recursive: true });
    if (!existsSync(template)) throw error;
  }
}

/** PostgreSQL refuses to run as root, so root runs it as Debian's account. */
function findAccount(): Account {
  const uid = process.getuid?.() ?? 0;
  if (uid !== 0) return { uid, gid: process.getgid?.() ?? 0 };
  const read = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: read('-u'), gid: read('-g') };
}

export function hasPostgres(): boolean {
  return findNewest() !== undefined;
}

function findNewest(): string | undefined {
  const versions = existsSync(debianDirectory) ? readdirSync(debianDirectory) : [];
  return versions.toSorted((one, other) => Number(other) - Number(one))[0];
}

function findPrograms(): string {
  const newest = findNewest();
  if (newest === undefined) throw new Error(`Install ${postgresPackages.join(' ')}.`);
  return path.join(debianDirectory, newest, 'bin');
}

async function startServer(place: Place, isDurable: boolean): Promise<ChildProcess> {
  const { programs, directory, data, port, account } = place;
  const options = ['-D', data, '-k', directory, '-h', '127.0.0.1', '-p', String(port)];
  if (!isDurable) options.push('-c', 'fsync=off');
  const lendAccount =
    process.getuid?.() === 0 ? [`--reuid=${account.uid}`, `--regid=${account.gid}`, '--clear-groups'] : [];
  // Ends the server however this process ends: without its first process, all others exit.
  const server = spawn(
    'setpriv',
    [...lendAccount, '--pdeathsig', 'KILL', path.join(programs, 'postgres'), ...options],
    {
      cwd: directory,
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  let log = '';
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.once('exit', code => reject(new Error(`PostgreSQL ended with ${code}: ${log}`)));
    server.stderr?.on('data', (bytes: Buffer) => {
      if (log.length < logCharactersMax) log += bytes.toString();
      if (/ready to accept (read-only )?connections/.test(log)) resolve();
    });
  });
  return server;
}

/** Lists the first process and its children. */
function listProcesses({ pid }: ChildProcess): number[] {
  if (pid === undefined) return [];
  const begun = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return [pid, ...begun.split(' ').filter(Boolean).map(Number)];
}

/** SIGQUIT tells PostgreSQL to exit at once; the next start recovers from the log. */
async function stopServer(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const gone = once(server, 'exit');
  server.kill('SIGQUIT');
  await gone;
}
