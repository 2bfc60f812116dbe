/** Requests that Datadog and Splunk clients make before and after they send. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { addPerson, addToken } from '../support/people.ts';
import { openSender } from '../support/protocolBodies.ts';
import { startTestService } from '../support/service.ts';
import { openLogBook } from '../support/storedEntries.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const { token, read, newDataset } = await openLogBook(service);
const media = await addToken(await addPerson(service, { isOwner: true }), { kind: 'media' });
const send = openSender(service, token);

describe('Datadog requests', () => {
  it('check a key', async () => {
    const validate = (key: string) => service.fetch('/api/v1/validate', { headers: { 'dd-api-key': key } });
    const good = await validate(token);
    assert.deepEqual([good.status, await good.json()], [200, { valid: true }]);
    for (const key of ['x'.repeat(32), '', media.token]) {
      const bad = await validate(key);
      assert.equal(bad.status, 403);
      assert.match(await bad.text(), /^\{"errors":\[/);
    }
  });

  it('check the connection with an empty entry, which is not stored', async () => {
    const dataset = newDataset();
    const response = await send({ path: `/api/v2/logs?dataset=${dataset}`, body: '{}' });
    assert.deepEqual([response.status, await response.json()], [202, {}]);
    assert.deepEqual(await read(dataset), []);
  });
});

describe('Splunk requests', () => {
  const channel = {
    authorization: `Splunk ${token}`,
    'x-splunk-request-channel': '7e58a9d4-0000-4000-8000-000000000000',
  };

  it('check acknowledgements for clients that name a channel', async () => {
    const path = '/services/collector/event';
    const [first, second] = [
      await send({ path, body: '{"event":"a"}', headers: channel }),
      await send({ path: `${path}?channel=x`, body: '{"event":"b"}' }),
    ];
    const ids = [JSON.parse(await first.text()).ackId, JSON.parse(await second.text()).ackId];
    assert.deepEqual(
      ids.map(id => typeof id),
      ['number', 'number'],
    );
    const acknowledgement = await send({
      path: '/services/collector/ack',
      body: JSON.stringify({ acks: ids }),
      headers: channel,
    });
    assert.deepEqual(await acknowledgement.json(), { acks: Object.fromEntries(ids.map(id => [id, true])) });
    for (const body of ['{}', '{', '{"acks":7}']) {
      const refused = await send({ path: '/services/collector/ack', body, headers: channel });
      assert.deepEqual([refused.status, JSON.parse(await refused.text()).code], [400, 6]);
    }
  });

  it('come from the log driver of containers before they start', async () => {
    const response = await service.fetch('/services/collector/event/1.0', { method: 'OPTIONS' });
    assert.equal(response.status, 200);
    const preflight = await service.fetch('/services/collector/event/1.0', {
      method: 'OPTIONS',
      headers: { origin: 'https://game.example' },
    });
    assert.equal(preflight.status, 204);
  });
});
