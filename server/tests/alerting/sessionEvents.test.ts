/** Events of reporting sessions: subscribed channels receive each opening and each end. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createChannel } from '@tapedeck/contract/channels';
import { invalidateSession, reportSession } from '@tapedeck/contract/sdk';
import { startReceiver } from '../support/receiver.ts';
import { makeServer, openReportingClient } from '../support/reporters.ts';
import { startTestService } from '../support/service.ts';

type Notification = {
  type: string;
  data: { project: string; session: { id: string; resourceName: string } };
};

test('notifies once when a session opens and when it ends, and not when it is reported again', async () => {
  await using receiver = await startReceiver();
  await using service = await startTestService({ environment: { TAPEDECK_OUTGOING_PRIVATE: 'true' } });
  const { owner, addReporter } = await openReportingClient(service);
  const events = ['session.opened' as const, 'session.ended' as const];
  const channel = { name: 'sessions', kind: 'webhook', target: receiver.url } as const;
  await owner.call(createChannel, { params: { project: 'default' }, body: { ...channel, events } });
  const reporter = await addReporter({ kind: 'logs' });
  const query = makeServer();
  for (let times = 0; times < 2; times += 1) await reporter.call(reportSession, { query });
  for (let times = 0; times < 2; times += 1) await reporter.call(invalidateSession, { query });
  await reporter.call(reportSession, { query });
  const notifications = (await receiver.wait(3)).map(({ body }) => JSON.parse(body) as Notification);
  assert.deepEqual(notifications.map(({ type }) => type).toSorted(), [
    'session.ended',
    'session.opened',
    'session.opened',
  ]);
  const ended = notifications.find(({ type }) => type === 'session.ended');
  const ids = notifications
    .filter(({ type }) => type === 'session.opened')
    .map(({ data }) => data.session.id);
  assert.equal(new Set(ids).size, 2);
  assert.ok(ids.includes(ended!.data.session.id));
});
