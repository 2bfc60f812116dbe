/** Runs nginx over a folder of files, as the reference that tests compare reads with. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import http from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { findFreePort } from '../../../scripts/engines/freePorts.ts';

export type Nginx = AsyncDisposable & { url: string };

/** `mimeType` applies to every file. */
type NginxFiles = {
  files: Readonly<Record<string, Uint8Array>>;
  mimeType: string;
  modifiedAt: number;
};

export async function startNginx({ files, mimeType, modifiedAt }: NginxFiles): Promise<Nginx> {
  const directory = await mkdtemp(path.join(tmpdir(), 'nginx-'));
  for (const [name, bytes] of Object.entries(files)) {
    await writeFile(path.join(directory, name), bytes);
    await utimes(path.join(directory, name), modifiedAt / 1000, modifiedAt / 1000);
  }
  const port = await findFreePort();
  const config = path.join(directory, 'nginx.conf');
  await writeFile(config, writeConfig(directory, { port, mimeType }));
  const nginx = spawn('nginx', ['-c', config], { stdio: 'ignore' });
  const gone = once(nginx, 'exit');
  const url = `http://127.0.0.1:${port}`;
  // The runner's timeout ends this if nginx never answers.
  while (!(await askOnce(url, { method: 'HEAD' }).catch(() => undefined))) await wait(20);
  return {
    url,
    [Symbol.asyncDispose]: async () => {
      nginx.kill();
      await gone;
      await rm(directory, { recursive: true });
    },
  };
}

export type Asked = {
  status: number;
  headers: http.IncomingHttpHeaders;
  body: string;
};

/** Sends one request on a new connection and returns the body byte by byte. */
export async function askOnce(
  url: string,
  options: { method: string; headers?: Readonly<Record<string, string>> },
): Promise<Asked> {
  const [response] = await once(http.request(url, { ...options, agent: false }).end(), 'response');
  const chunks = [];
  for await (const chunk of response) chunks.push(chunk);
  return {
    status: response.statusCode,
    headers: response.headers,
    body: Buffer.concat(chunks).toString('latin1'),
  };
}

function writeConfig(directory: string, { port, mimeType }: { port: number; mimeType: string }): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map(kind => `${kind}_temp_path ${directory}/${kind};`)
    .join(' ');
  return `daemon off; master_process off; pid ${directory}/pid; error_log ${directory}/error.log; events {}
http { access_log off; ${temporary} types {} default_type ${mimeType};
server { listen 127.0.0.1:${port}; root ${directory}; keepalive_requests 100000; } }`;
}
