/** No log request blocks the event loop longer than CONTRACT.md, 14, allows, whatever its content, compressed or not. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { format as batchFormat } from '../../src/intake/batch/batchFormat.worker.ts';
import { readTranslatedHere } from '../../src/intake/entryFormat.ts';
import { writtenHere } from '../../src/intake/protocol/directWriter.ts';
import { listProtocolRequests } from '../ingest/protocols/index.ts';
import { requireShortHolds } from '../support/eventLoop.ts';
import {
  attachmentShapes,
  batchShapes,
  chatShapes,
  fill,
  type HostileShape,
  legacyShapes,
} from '../support/hostileBodies.ts';
import { addPerson, addToken } from '../support/people.ts';
import type { SlowBodySize } from '../support/protocolRequests.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const { token } = await addToken(await addPerson(service, { isOwner: true }), { kind: 'logs' });
const json = { authorization: token, 'content-type': 'application/json' };
const packed = { ...json, 'content-encoding': 'gzip' };
const pack = (body: string) => gzipSync(body, { level: 1 }); // a hundred bodies of megabytes
const hook = `/api/webhooks/1/${token}`;
const someBytes = 1024 * 1024;
const farAboveBytes = 3 * 1024 * 1024; // blocks for a third of a second or more if read in one go

const batchParsedHereBytesMax = batchFormat.readHere.bytesMax;
const plainBatchBytesMax = batchFormat.plain?.bytesMax ?? 0;
const bodyParsedHereBytesMax = readTranslatedHere.bytesMax;
const sizes: Readonly<Record<SlowBodySize, readonly number[]>> = {
  large: [farAboveBytes],
  'medium and large': [someBytes, farAboveBytes],
  'read at once': [writtenHere.bytesMax],
};
const slow = listProtocolRequests().flatMap(requests => requests.slow);
const routes: readonly (readonly [string, string, readonly HostileShape[], readonly number[]])[] = [
  ['a batch', '/api/v3/logs', batchShapes, [batchParsedHereBytesMax, plainBatchBytesMax, farAboveBytes]],
  ['a chat payload', '/api/v3/logs/chat', chatShapes, [bodyParsedHereBytesMax, farAboveBytes]],
  [
    'a message with attachments',
    `${hook}/attachments`,
    attachmentShapes,
    [bodyParsedHereBytesMax, farAboveBytes],
  ],
  ...slow.map(({ path, size, shapes }) => [`a body for ${path}`, path, shapes, sizes[size]] as const),
  ['a legacy batch', '/api/logs', legacyShapes, [bodyParsedHereBytesMax, farAboveBytes]],
];

await service.fetch('/api/v3/logs', { method: 'POST', headers: json, body: '[]' }); // initialises what the first request needs

async function requireNoHold(path: string, init: RequestInit, status: number): Promise<void> {
  await requireShortHolds(async () => {
    const response = await service.fetch(path, { method: 'POST', ...init });
    assert.equal(response.status, status, await response.text());
  });
}

for (const [name, path, shapes, sizes] of routes) {
  describe(`${name} of`, () => {
    for (const { title, make, status } of shapes) {
      for (const bytes of sizes) {
        const body = pack(make(bytes));
        it(`${title}, ${bytes / 1024} KiB: ${status}`, () =>
          requireNoHold(path, { headers: packed, body }, status));
      }
    }
  });
}

describe('other forms', () => {
  const payload = fill(['{"content":"m","embeds":[{"fields":[', '{},', ']}]}'], farAboveBytes);
  const forms = { ...packed, 'content-type': 'application/x-www-form-urlencoded' };
  const rows: [string, string, RequestInit, number][] = [
    ['a payload with ?wait', `${hook}?wait=true`, { headers: packed, body: pack(payload) }, 200],
    [
      'a key',
      '/api/v3/logs/chat',
      { headers: { ...packed, 'idempotency-key': 'a' }, body: pack(payload) },
      200,
    ],
    ['a urlencoded form', hook, { headers: forms, body: pack(fill(['content=m', '&a', ''], 1e6)) }, 204],
    ['an escaped form', hook, { headers: forms, body: pack(fill(['content=', '%41', ''], 1e6)) }, 204],
    ['a path of many folders', `/api/v3/file${'/a'.repeat(7_900)}`, {}, 405],
    ['a form that is too long', hook, { headers: forms, body: pack(fill(['content=', 'a', ''], 2e6)) }, 413],
  ];
  for (const [title, path, init, status] of rows)
    it(`${title}: ${status}`, () => requireNoHold(path, init, status));
});
