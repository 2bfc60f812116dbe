/** A PostgreSQL server for tests, in a directory of its own, gone when they end. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const debianDirectory = '/usr/lib/postgresql';
const user = 'tapedeck';
const password = 'throwaway';

export type ThrowawayServer = AsyncDisposable & {
  urlOf: (database: string) => string;
  /** Ends every process of the server at once, as a power cut would. */
  crash: () => Promise<void>;
  restart: () => Promise<void>;
};

export async function startPostgres(): Promise<ThrowawayServer> {
  const directory = mkdtempSync(join(tmpdir(), 'tapedeck-postgres-'));
  const account = findAccount();
  chownSync(directory, account.uid, account.gid);
  const data = join(directory, 'data');
  const passwordFile = join(directory, 'password');
  writeFileSync(passwordFile, password);
  chownSync(passwordFile, account.uid, account.gid);
  const options = ['-D', data, '-U', user, '--pwfile', passwordFile, '-A', 'scram-sha-256', '-E', 'UTF8'];
  const programs = findPrograms();
  execFileSync(join(programs, 'initdb'), [...options, '--locale=C', '--no-sync'], {
    ...account,
    cwd: directory,
    stdio: 'ignore',
  });
  const port = await findFreePort();
  const start = () => startServer(join(programs, 'postgres'), { data, directory, port, account });
  let server = await start();
  return {
    urlOf: database => `postgres://${user}:${password}@127.0.0.1:${port}/${database}`,
    crash: () => endServer(server, 'SIGQUIT'),
    restart: async () => {
      server = await start();
    },
    [Symbol.asyncDispose]: async () => {
      await endServer(server, 'SIGQUIT');
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

type Account = { uid: number; gid: number };

/** PostgreSQL refuses to run as root, so root lends it the account of Debian's package. */
function findAccount(): Account {
  const uid = process.getuid?.() ?? 0;
  if (uid !== 0) return { uid, gid: process.getgid?.() ?? 0 };
  const read = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: read('-u'), gid: read('-g') };
}

function findPrograms(): string {
  const versions = existsSync(debianDirectory)
    ? readdirSync(debianDirectory).sort((a, b) => Number(b) - Number(a))
    : [];
  const [newest] = versions;
  if (newest === undefined) throw new Error('PostgreSQL is missing: apt-get install postgresql');
  return join(debianDirectory, newest, 'bin');
}

type ServerPlace = { data: string; directory: string; port: number; account: Account };

async function startServer(
  program: string,
  { data, directory, port, account }: ServerPlace,
): Promise<ChildProcess> {
  const options = ['-D', data, '-k', directory, '-h', '127.0.0.1', '-p', String(port)];
  const server = spawn(program, options, { ...account, cwd: directory, stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  await new Promise<void>((resolve, reject) => {
    server.on('exit', code => reject(new Error(`PostgreSQL ended with ${code}: ${log}`)));
    server.stderr?.on('data', (chunk: Buffer) => {
      if (log.length < 100_000) log += chunk.toString();
      if (log.includes('ready to accept connections')) resolve();
    });
  });
  return server;
}

/** SIGQUIT is PostgreSQL's own word for ending without a checkpoint; the next start recovers from the log. */
function endServer(server: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return Promise.resolve();
  const ended = new Promise<void>(resolve => server.once('exit', () => resolve()));
  server.kill(signal);
  return ended;
}

async function findFreePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>(resolve => probe.listen(0, '127.0.0.1', resolve));
  const address = probe.address();
  await new Promise<void>(resolve => probe.close(() => resolve()));
  if (address === null || typeof address === 'string') throw new Error('A listening socket has a port.');
  return address.port;
}
