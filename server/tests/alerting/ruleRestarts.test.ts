/** Rules across kills of the service: each fires once and resolves once, whatever the moment of the kill. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startReceiver } from '../support/receiver.ts';
import { makeDirectory } from '../support/service.ts';
import { startProcess, tapedeck } from '../support/tapedeck.ts';

const logsToken = 'logs-token-of-the-rule-tests-000';

test('a service that is killed before it fires or resolves a rule does so once after the restart', async () => {
  await using directory = await makeDirectory();
  await using receiver = await startReceiver();
  const environment = {
    TAPEDECK_DATA_DIR: directory.path,
    TAPEDECK_LOGS_TOKEN: logsToken,
    TAPEDECK_OUTGOING_PRIVATE: 'true',
  };
  const idsOf = () => new Set(receiver.received.map(({ headers }) => headers['webhook-id']));
  {
    await using service = await startProcess(environment);
    const token = (await tapedeck(['token', 'create', '--kind', 'admin'], environment)).trim();
    const post = (path: string, body: object, authorization = token) =>
      postJson(`${service.url}/api${path}`, { authorization, body });
    const target = { name: 'Receiver', kind: 'webhook', target: receiver.url };
    const { channel } = await post('/manage/projects/default/channels', target);
    await post('/manage/projects/default/rules', {
      name: 'killed',
      kind: 'count',
      query: 'burns',
      condition: { op: '>=', value: 2 },
      windowSeconds: 20,
      channels: [channel.id],
    });
    await post(
      '/v3/logs',
      [1, 2].map(number => ({ level: 'error', message: `it burns ${number}` })),
      logsToken,
    );
  }
  {
    await using _service = await startProcess(environment);
    await receiver.wait(1);
  }
  {
    await using _service = await startProcess(environment);
    while (idsOf().size < 2) await receiver.wait(receiver.received.length + 1);
  }
  // At least once: a kill may come between the receiver's response and its record.
  const notifications = new Map(receiver.received.map(({ headers, body }) => [headers['webhook-id'], body]));
  assert.deepEqual(
    [...notifications.values()].map(body => {
      const { type, data } = JSON.parse(body) as {
        type: string;
        data: { rule: { name: string }; count: number };
      };
      return [type, data.rule.name, data.count];
    }),
    [
      ['rule.fired', 'killed', 2],
      ['rule.resolved', 'killed', 0],
    ],
  );
});

async function postJson(url: string, { authorization, body }: { authorization: string; body: object }) {
  const headers = { authorization, 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  const answer = await response.text();
  assert.equal(response.status, 200, answer);
  return JSON.parse(answer) as { channel: { id: string } }; // the shape of the requested route
}
