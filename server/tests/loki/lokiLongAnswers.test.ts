/** Many long answers at once, in a service with a small heap: it keeps running, answers some, and refuses the others. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeDirectory } from '../support/service.ts';
import { startProcess } from '../support/tapedeck.ts';

const heapMegabytes = 256;
const token = 'logs-token-of-the-tests-01234567';
const batches = 25; // of a megabyte
const batchLines = 20;
const crowd = 24;
const long = 'x'.repeat(50_000);
const parameters = new URLSearchParams({ query: '{dataset="told"}', limit: '1000' });

test(`${crowd} answers of ${batches} MB fit into a small heap`, async () => {
  await using directory = await makeDirectory();
  await using service = await startProcess({
    NODE_OPTIONS: `--max-old-space-size=${heapMegabytes}`,
    TAPEDECK_LOGS_TOKEN: token,
    TAPEDECK_DATA_DIR: directory.path,
  });
  const headers = { authorization: token, 'content-type': 'application/json' };
  const item = { level: 'info', message: long };
  const body = JSON.stringify(Array.from({ length: batchLines }, () => item));
  for (let batch = 0; batch < batches; batch++) {
    const response = await fetch(`${service.url}/api/v3/logs?dataset=told`, {
      method: 'POST',
      headers,
      body,
    });
    assert.equal(response.status, 200, await response.text());
  }
  const ask = async (): Promise<string> => {
    const response = await fetch(`${service.url}/loki/api/v1/query_range?${parameters}`, { headers });
    const text = await response.text();
    const isWhole = text.length > batches * batchLines * long.length;
    return response.status === 200 && isWhole ? 'whole' : `${response.status} ${text.trim()}`;
  };
  const answers = await Promise.all(Array.from({ length: crowd }, ask));
  assert.equal(await ask(), 'whole', 'once the others have ended');
  assert.ok(answers.includes('whole'), answers.join());
  for (const answer of answers) assert.match(answer, /^(whole|503 .*later\.)$/);
});
