/** Other programs' protocols over HTTP: what they store, and where. `protocols/` has a file for each. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { openSender } from '../support/protocolBodies.ts';
import { startTestService } from '../support/service.ts';
import { openLogBook } from '../support/storedEntries.ts';
import { listProtocolRequests } from './protocols/index.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const { token, read, newDataset } = await openLogBook(service);

const send = openSender(service, token);

const requests = listProtocolRequests();

describe('protocols store what they accept', () => {
  for (const { title, sent, status, body, entries } of requests.flatMap(({ stored }) => stored)) {
    it(title, async () => {
      const dataset = newDataset();
      const response = await send(sent({ dataset, token }));
      const text = await response.text();
      assert.equal(response.status, status, text);
      if (body !== null) {
        const { took, ...answer } = JSON.parse(text);
        assert.deepEqual(answer, JSON.parse(JSON.stringify(body).replaceAll('THE DATASET', dataset)));
      }
      const stored = await read(dataset);
      assert.deepEqual(
        stored.map(
          ({ level, resource, body, metadata }) =>
            `${level} ${resource ?? ''}: ${body} ${JSON.stringify(metadata)}`,
        ),
        entries,
      );
    });
  }

  it('each has a request that is stored, one that is rejected and one that takes long', () => {
    for (const { stored, refused, slow } of requests)
      assert.ok(
        stored.length > 0 && refused.length > 0 && slow.length > 0,
        stored[0]?.title ?? 'nothing is stored',
      );
  });

  it('entries of one body may go to several datasets', async () => {
    const [first, second] = [newDataset(), newDataset()];
    const body = [first, second, first]
      .map(index => `{"create":{"_index":"${index}"}}\n{"message":"${index}"}\n`)
      .join('');
    const response = await send({ path: '/_bulk', method: 'PUT', body, type: 'application/x-ndjson' });
    assert.equal(response.status, 200);
    const { items } = (await response.json()) as { items: { create: { _id: string } }[] }; // in the format above
    assert.equal(
      new Set(items.map(({ create }) => create._id).filter(id => id !== '')).size,
      3,
      'distinct ids',
    );
    assert.equal((await read(first)).length, 2);
    assert.equal((await read(second)).length, 1);
  });

  it('a worker thread parses large bodies, with the same result', async () => {
    const dataset = newDataset();
    const events = Array.from({ length: 2_000 }, (_, index) => ({ event: `event ${index}`, index: dataset }));
    const body = events.map(event => JSON.stringify(event)).join('\n');
    const response = await send({ path: '/services/collector', body });
    assert.equal(response.status, 200, await response.text());
    const broken = await send({ path: '/services/collector', body: `${body}{"event":""}` });
    assert.deepEqual(
      [broken.status, await broken.json()],
      [400, { text: 'Event field cannot be blank', code: 13, 'invalid-event-number': 2000 }],
    );
    assert.deepEqual((await read(dataset)).map(({ body }) => body).slice(0, 2), ['event 0', 'event 1']);
  });
});
