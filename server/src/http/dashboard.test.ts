/** The dashboard's files: their addresses, and how long browsers keep them. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import Fastify from 'fastify';
import { serveDashboard } from './dashboard.ts';

const directory = await mkdtemp(path.join(tmpdir(), 'tapedeck-dashboard-'));
await mkdir(path.join(directory, 'assets'));
const files = {
  'index.html': '<title>page</title>',
  'theme.js': 'theme',
  'assets/page-1.js': 'script',
  'assets/page-1.js.gz': gzipSync('script'),
};
for (const [name, content] of Object.entries(files)) await writeFile(path.join(directory, name), content);

const app = Fastify();
const dashboard = await serveDashboard(app, directory);
app.setNotFoundHandler((request, reply) => {
  if (!dashboard.sendPage(request, reply)) reply.code(404).send('nothing');
});
after(async () => {
  await app.close();
  await rm(directory, { recursive: true });
});

const unchanging = 'public, max-age=31536000, immutable';

describe('dashboard files', () => {
  const rows: readonly [name: string, url: string, status: number, body: string, kept: string | undefined][] =
    [
      ['the page', '/', 200, '<title>page</title>', 'no-cache'],
      ['the page by its name', '/index.html', 200, '<title>page</title>', 'no-cache'],
      ['a file next to it', '/theme.js', 200, 'theme', 'no-cache'],
      ['a file with a hash in its name', '/assets/page-1.js', 200, 'script', unchanging],
      ['its name with percent-encoding', '/assets/page%2D1.js', 200, 'script', unchanging],
      ['a compressed file by itself', '/assets/page-1.js.gz', 404, 'nothing', undefined],
      ['an unknown file', '/assets/page-2.js', 404, 'nothing', undefined],
      ['the folder', '/assets/', 404, 'nothing', undefined],
      ['a path that leaves the folder', '/assets/..%2Findex.html', 404, 'nothing', undefined],
    ];
  for (const [name, url, status, body, kept] of rows) {
    it(`${name} is ${status}`, async () => {
      const answer = await app.inject({ url });
      assert.equal(answer.statusCode, status);
      assert.equal(answer.body, body);
      assert.equal(answer.headers['cache-control'], kept);
      const head = await app.inject({ url, method: 'HEAD' });
      assert.equal(head.statusCode, status);
      assert.equal(head.body, '');
    });
  }

  it('are compressed for clients that accept it', async () => {
    const answer = await app.inject({ url: '/assets/page-1.js', headers: { 'accept-encoding': 'gzip' } });
    assert.equal(answer.headers['content-encoding'], 'gzip');
    assert.deepEqual(answer.rawPayload, gzipSync('script'));
  });

  it('a browser gets the page instead of an unknown file', async () => {
    const answer = await app.inject({ url: '/assets/page-2.js', headers: { accept: 'text/html' } });
    assert.equal(answer.body, '<title>page</title>');
  });
});
