/** Tests that a body with slow chunks lets other work run in between. */
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { decodeBase64 } from './base64.ts';
import { readChunks } from './streamBodies.ts';

const chunks = 32; // Node.js reads that many from a fast connection in one turn
const chunk = Buffer.from('A\n'.repeat(32 * 1024)); // takes milliseconds, because every other character is a gap

test('base64 with gaps everywhere is decoded in turns', async () => {
  const stream = new Readable({ read() {}, highWaterMark: 2 * chunks * chunk.length });
  for (let count = 0; count < chunks; count++) stream.push(chunk);
  stream.push(null);
  let turns = 0;
  const count = () => {
    turns++;
    looking = setImmediate(count);
  };
  let looking = setImmediate(count);
  let bytes = 0;
  const startedAt = process.threadCpuUsage();
  for await (const decoded of decodeBase64(readChunks(stream), 'file')) bytes += decoded.length;
  clearImmediate(looking);
  const { user, system } = process.threadCpuUsage(startedAt);
  assert.equal(bytes, (chunks * chunk.length * 3) / 8);
  assert.ok(turns >= (user + system) / 1000 / 20, `${turns} turns in ${(user + system) / 1000} ms`);
});
