/** Other programs' protocols over HTTP: how each reports errors, and what clients request before they send. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { addPerson, addToken } from '../support/people.ts';
import { nowNanos, openSender } from '../support/protocolBodies.ts';
import { startTestService } from '../support/service.ts';
import { openLogBook } from '../support/storedEntries.ts';
import { listProtocolRequests } from './protocols/index.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const { token, read, newDataset } = await openLogBook(service);
const owner = await addPerson(service, { isOwner: true });
const narrow = await addToken(owner, { kind: 'logs', scopes: ['write', 'dataset:shown'] });
const media = await addToken(owner, { kind: 'media' });

const send = openSender(service, token);

const refusals = listProtocolRequests().flatMap(({ refused }) => refused);
const tokens = { narrow: narrow.token, media: media.token };

describe('protocols reject in their own format', () => {
  for (const { title, sent, status, says } of refusals) {
    it(title, async () => {
      const response = await send(typeof sent === 'function' ? sent(tokens) : sent);
      assert.match(await response.text(), says);
      assert.equal(response.status, status);
    });
  }

  it('OTLP reports how many records were rejected, and stores the others', async () => {
    const dataset = newDataset();
    const logRecords = [{ body: { stringValue: 'kept' } }, { timeUnixNano: `9${nowNanos}` }];
    const body = JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords }] }] });
    const response = await send({ path: `/otlp/v1/logs?dataset=${dataset}`, body });
    assert.deepEqual(await response.json(), {
      partialSuccess: {
        rejectedLogRecords: '1',
        errorMessage: 'Entry 1: timestamp is more than a day ahead.',
      },
    });
    assert.deepEqual(
      (await read(dataset)).map(entry => entry.body),
      ['kept'],
    );
  });
});

describe('preliminary requests of clients', () => {
  const questions: [path: string, says: RegExp][] = [
    ['/ready', /^ready\n$/],
    ['/loki/api/v1/status/buildinfo', /"version":/],
    ['/elasticsearch', /"tagline":"You Know, for Search"/],
    ['/_license', /"status":"active"/],
    ['/services/collector/health', /"code":17/],
  ];
  for (const [path, says] of questions) {
    it(path, async () => {
      const response = await service.fetch(path);
      assert.equal(response.status, 200);
      assert.match(await response.text(), says);
    });
  }

  it("Loki's version, also by a form", async () => {
    const response = await service.fetch('/loki/api/v1/status/buildinfo', {
      method: 'POST',
      body: new URLSearchParams({ any: 'thing' }),
    });
    assert.equal(response.status, 200);
    assert.match(await response.text(), /"version":/);
    const empty = await service.fetch('/loki/api/v1/status/buildinfo', { method: 'POST' });
    assert.equal(empty.status, 200);
  });
});
