/** The bundled service finds everything beside it: threads, the engine's program, the dashboard, its version. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { bundledCli, startProcess } from '../support/tapedeck.ts';
import { formOf, makePicture } from '../support/uploading.ts';

const [logsToken, mediaToken] = ['logs-token-of-the-bundle', 'media-token-of-the-bundle'];

test('the bundled service stores files and logs, and serves the dashboard', async () => {
  await using directory = await mkdtempDisposable(path.join(tmpdir(), 'tapedeck-bundled-'));
  await using service = await startProcess(
    {
      TAPEDECK_DATA_DIR: directory.path,
      TAPEDECK_LOGS_TOKEN: logsToken,
      TAPEDECK_MEDIA_TOKEN: mediaToken,
    },
    [],
    bundledCli,
  );
  const request = (address: string, init: RequestInit = {}) => fetch(`${service.url}${address}`, init);
  const logs = { authorization: logsToken, 'content-type': 'application/json' };

  const sent = await request('/api/v3/logs', {
    method: 'POST',
    headers: logs,
    body: JSON.stringify([{ level: 'info', message: 'from the bundle' }]),
  });
  assert.equal(sent.status, 200);
  const found = await request('/api/v3/logs?body=bundle', { headers: logs });
  // The contract's shape of this response.
  const { data } = (await found.json()) as { data: { body: string }[] };
  assert.deepEqual(
    data.map(({ body }) => body),
    ['from the bundle'],
  );

  // Nested so deeply that a separate thread reads it.
  const odd = await request('/api/v3/logs', { method: 'POST', headers: logs, body: '['.repeat(2_000_000) });
  assert.equal(odd.status, 400);

  const form = formOf(await makePicture(4, 4), {}, 'a.png');
  const uploaded = await request('/api/v3/file', {
    method: 'POST',
    headers: { authorization: mediaToken },
    body: form,
  });
  assert.equal(uploaded.status, 200);

  const page = await request('/', { headers: { accept: 'text/html' } });
  assert.match(await page.text(), /<title>Tapedeck<\/title>/);
  const state = await request('/api/manage/state');
  const manifest = readFileSync(path.join(import.meta.dirname, '../../package.json'), 'utf8');
  // The shapes of the contract and the package.
  const { version } = (await state.json()) as { version: string };
  assert.equal(version, (JSON.parse(manifest) as { version: string }).version);
});
