/** Starts nginx over a directory of files, as the comparison for reading. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { findFreePort } from '../scripts/engines/freePorts.ts';

const program = '/usr/sbin/nginx'; // from Debian's package

type Nginx = AsyncDisposable & { port: number };

/** Returns null if nginx is missing. Serves the files by name, on the first core. */
export async function startNginx(files: Readonly<Record<string, Uint8Array>>): Promise<Nginx | null> {
  if (!existsSync(program)) return null;
  const directory = await mkdtemp(path.join(tmpdir(), 'tapedeck-nginx-'));
  await chmod(directory, 0o755);
  for (const [name, bytes] of Object.entries(files)) await writeFile(path.join(directory, name), bytes);
  const port = await findFreePort();
  const config = path.join(directory, 'nginx.conf');
  await writeFile(config, describeConfig(directory, port));
  const pin = existsSync('/usr/bin/taskset') ? ['taskset', '-c', '0'] : [];
  const [first = '', ...rest] = [
    ...pin,
    program,
    '-p',
    directory,
    '-c',
    config,
    '-e',
    path.join(directory, 'error.log'),
  ];
  const child = spawn(first, rest, { stdio: ['ignore', 'inherit', 'inherit'] });
  const exit = once(child, 'exit');
  await waitForPort(port);
  return {
    port,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM');
      await exit;
      await rm(directory, { recursive: true });
    },
  };
}

function describeConfig(directory: string, port: number): string {
  const root = process.getuid?.() === 0 ? 'user root;' : '';
  return `${root} daemon off; worker_processes 1; pid ${directory}/nginx.pid;
events { worker_connections 1024; }
http {
  types { image/png png; }
  access_log off; sendfile on; tcp_nopush on; keepalive_requests 10000000; open_file_cache max=1000;
  client_body_temp_path ${directory}/body; proxy_temp_path ${directory}/proxy; fastcgi_temp_path ${directory}/fastcgi;
  uwsgi_temp_path ${directory}/uwsgi; scgi_temp_path ${directory}/scgi;
  server { listen 127.0.0.1:${port}; root ${directory}; }
}
`;
}

async function waitForPort(port: number): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const socket = connect(port, '127.0.0.1');
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isOpen) return;
    await wait(25);
  }
  throw new Error('nginx does not listen.');
}
