/**
 * Runs a real PgBouncer in front of a PostgreSQL for tests: Debian's package, transaction mode, a free loopback port. It is stopped by its process
 * id.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findFreePort } from './freePorts.ts';
import type { PostgresEngine } from './postgres.ts';

type Pooler = AsyncDisposable & { urlOf: (database: string) => string };

const program = '/usr/sbin/pgbouncer';
const logCharactersMax = 20_000; // enough to hold the reason if it fails to start

/** Few connections, so that many clients share each. */
const serverConnections = 2;

export async function startPgBouncer(postgres: PostgresEngine): Promise<Pooler> {
  const server = new URL(postgres.urlOf('postgres'));
  const directory = mkdtempSync(path.join(tmpdir(), 'pgbouncer-'));
  const port = await findFreePort();
  const write = (name: string, text: string) => {
    const file = path.join(directory, name);
    writeFileSync(file, text);
    return file;
  };
  const users = write('users.txt', `"${server.username}" "${server.password}"\n`);
  const settings = write(
    'pgbouncer.ini',
    `[databases]
* = host=${server.hostname} port=${server.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = plain
auth_file = ${users}
pool_mode = transaction
default_pool_size = ${serverConnections}
`,
  );
  const lent = process.getuid?.() === 0 ? chownToPostgres([directory, users, settings]) : [];
  // Ends the pooler however this process ends.
  const child = spawn('setpriv', [...lent, '--pdeathsig', 'KILL', program, settings], {
    cwd: directory,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let log = '';
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', code => reject(new Error(`PgBouncer ended with ${code}: ${log}`)));
    child.stderr.on('data', (bytes: Buffer) => {
      if (log.length < logCharactersMax) log += bytes.toString();
      if (log.includes('process up')) resolve();
    });
  });
  return {
    urlOf: database => {
      const url = new URL(postgres.urlOf(database));
      url.port = String(port);
      return url.href;
    },
    [Symbol.asyncDispose]: async () => {
      const gone = once(child, 'exit');
      child.kill('SIGTERM');
      await gone;
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** PgBouncer refuses to run as root. */
function chownToPostgres(files: readonly string[]): string[] {
  const [uid, gid] = ['-u', '-g'].map(flag =>
    Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' })),
  );
  for (const file of files) chownSync(file, uid!, gid!);
  return [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'];
}
