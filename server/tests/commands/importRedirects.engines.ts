/** nginx and Caddy load the redirects that an import writes, and redirect to the new address. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import path from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { writeRedirects } from '@tapedeck/importing/redirects';
import { findFreePort } from '../../../scripts/engines/freePorts.ts';
import { makeDirectory } from '../support/service.ts';

const directory = await makeDirectory();
after(() => directory[Symbol.asyncDispose]());

const target = 'https://media.example.org/media/default';
const redirects = [
  { from: 'https://cdn.example.com/team/a.png', to: `${target}/a.png` },
  { from: 'https://cdn.example.com/team/A.png', to: `${target}/other.png` },
  {
    from: 'https://cdn.example.com/team/T%C3%B6n%20%24%7B5%7D%20%22x%22.wav',
    to: `${target}/T%C3%B6n%20%245%7B%7D.wav`,
  },
  { from: 'https://cdn.example.com/a%5Cb.png', to: `${target}/b.png` },
  { from: 'http://localhost:8787/media/default/c.png', to: `${target}/c.png` },
  ...Array.from({ length: 2_000 }, (_, number) => ({
    from: `https://cdn.example.com/many/${number}.png`,
    to: `${target}/many-${number}.png`,
  })),
];
await writeRedirects(directory.path, redirects);

/** Requests a path from the server under the old host name. */
async function fetchRedirect(port: number, from: string): Promise<[number | undefined, string | undefined]> {
  const { host, pathname } = new URL(from);
  for (;;) {
    const sent = request({ host: '127.0.0.1', port, path: pathname, headers: { host } }).end();
    const answer = await once(sent, 'response').catch(() => null);
    if (answer === null) {
      await wait(20); // the server is starting; the runner's timeout ends this
      continue;
    }
    const [response] = answer;
    response.resume();
    return [response.statusCode, response.headers.location];
  }
}

async function requireRedirects(port: number): Promise<void> {
  for (const { from, to } of redirects.slice(0, 8))
    assert.deepEqual(await fetchRedirect(port, from), [301, to], from);
  assert.equal((await fetchRedirect(port, 'https://cdn.example.com/nothing.png'))[0], 404);
}

test('nginx accepts them and redirects', async () => {
  const port = await findFreePort();
  const own = path.join(directory.path, 'nginx');
  await mkdir(own);
  const text = await readFile(path.join(directory.path, 'redirects.nginx.conf'), 'utf8');
  await writeFile(
    path.join(own, 'redirects.conf'),
    text.replaceAll('listen 80;', `listen 127.0.0.1:${port};`),
  );
  const config = path.join(own, 'nginx.conf');
  const include = `${own}/redirects.conf`;
  const write = (file: string) =>
    writeFile(
      config,
      `daemon off; pid ${own}/pid; error_log stderr; events {} http { access_log off; include ${file}; }`,
    );
  await write(path.join(directory.path, 'redirects.nginx.conf'));
  const checked = spawnSync('nginx', ['-t', '-c', config], { encoding: 'utf8' });
  assert.equal(checked.status, 0, checked.stderr);
  await write(include);
  const nginx = spawn('nginx', ['-c', config], { stdio: 'ignore' });
  try {
    await requireRedirects(port);
  } finally {
    nginx.kill();
    await once(nginx, 'exit');
  }
});

test('Caddy accepts them and redirects', async () => {
  const file = path.join(directory.path, 'redirects.Caddyfile');
  const validate = ['validate', '--adapter', 'caddyfile', '--config', file];
  const checked = spawnSync('caddy', validate, { encoding: 'utf8' });
  assert.equal(checked.status, 0, checked.stderr);
  const port = await findFreePort();
  const text = await readFile(file, 'utf8');
  const plain = text
    .replaceAll(/, https:\/\/[^ ]+ \{/g, ' {')
    .replaceAll(/http:\/\/(\S+) \{/g, `http://$1:${port} {`);
  const own = path.join(directory.path, 'Caddyfile');
  await writeFile(own, `{\n  admin off\n}\n${plain}`);
  const env = { ...process.env, XDG_DATA_HOME: directory.path, XDG_CONFIG_HOME: directory.path };
  const words = ['run', '--adapter', 'caddyfile', '--config', own];
  const caddy = spawn('caddy', words, { stdio: 'ignore', env });
  try {
    await requireRedirects(port);
  } finally {
    caddy.kill();
    await once(caddy, 'exit');
  }
});
