/** Compressed bodies of a few kilobytes that expand to megabytes: however many arrive at once, the service decodes few at a time. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { limits } from '@tapedeck/domain/vocabulary';
import { describeRefusal } from '../support/client.ts';
import { startTestService } from '../support/service.ts';

const token = 'a-logs-token-of-thirty-two-chars';
const service = await startTestService({ environment: { TAPEDECK_LOGS_TOKEN: token } });
after(() => service[Symbol.asyncDispose]());

const entry = '[{"level":"info","message":"m"}]';
const small = gzipSync(entry);
const largest = gzipSync(entry.padEnd(limits.logBatchBytesMax));
const tooLarge = gzipSync(entry.padEnd(limits.logBatchBytesMax + 1));
const count = 40;

const headers = { authorization: token, 'content-type': 'application/json', 'content-encoding': 'gzip' };
const send = (body: Buffer, path = '/api/v3/logs') => service.fetch(path, { method: 'POST', headers, body });

/** Reads the process's peak memory so far. */
function readPeakMegabytes(): number {
  return process.resourceUsage().maxRSS / 1024;
}

test('accepts many concurrent bodies, and takes little memory', async () => {
  const before = readPeakMegabytes();
  const answers = await Promise.all(Array.from({ length: count }, () => send(largest)));
  for (const { status } of answers) assert.equal(status, 200);
  const grown = readPeakMegabytes() - before;
  assert.ok(grown < (count * limits.logBatchBytesMax) / 1024 ** 2 / 2, `${grown} MB more`);
});

test('the same applies to rejected bodies, and on the legacy routes', async () => {
  const before = readPeakMegabytes();
  const refused = Promise.all(Array.from({ length: count }, () => send(tooLarge)));
  const taken = Promise.all(Array.from({ length: count }, () => send(largest, '/api/logs')));
  for (const answer of await refused) assert.equal(await describeRefusal(answer), '413 body_too_large');
  for (const { status } of await taken) assert.equal(status, 200);
  const grown = readPeakMegabytes() - before;
  assert.ok(grown < (count * limits.logBatchBytesMax) / 1024 ** 2 / 2, `${grown} MB more`);
});

test('a small body does not wait for earlier large ones', async () => {
  let stored = 0;
  const begun = Array.from({ length: count }, () => send(largest).then(() => stored++));
  await begun[0]; // the others have arrived by then
  assert.equal((await send(small)).status, 200);
  assert.ok(stored < count / 2, `${stored} of ${count} were stored before`);
  await Promise.all(begun);
});
