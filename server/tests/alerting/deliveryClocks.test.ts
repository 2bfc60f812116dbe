/** Deliveries after the clock of the machine was ahead for a while: nothing waits until the time that it showed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as contract from '@tapedeck/contract/channels';
import { leaveDeliveries, untilDeliveries } from '../support/outboxRows.ts';
import { addPerson } from '../support/people.ts';
import { startReceiver } from '../support/receiver.ts';
import { startTestService } from '../support/service.ts';

const yearMs = 365 * 86_400_000;
const params = { project: 'default' };

for (const [title, answer] of [
  ['a receiver that asked for a pause', { status: 429, headers: { 'retry-after': '60' } }],
  ['a receiver that failed', { status: 500 }],
] as const)
  test(`${title} gets its messages once the clock is set back`, async () => {
    await using receiver = await startReceiver();
    await using service = await startTestService({ environment: { TAPEDECK_OUTGOING_PRIVATE: 'true' } });
    service.clock.advance(yearMs);
    const owner = await addPerson(service, { isOwner: true });
    receiver.always(answer);
    const body = { name: 'Ops', kind: 'webhook' as const, target: receiver.url };
    const { id } = (await owner.call(contract.createChannel, { params, body })).channel;
    const [delivery] = await leaveDeliveries(service, { channel: id, rule: 'one' });
    await untilDeliveries(owner, id, all => all.get(delivery!)?.attempts.length === 1);
    service.clock.advance(-yearMs);
    const tried = await untilDeliveries(owner, id, all => all.get(delivery!)?.attempts.length === 2);
    const { dueAt, state } = tried.get(delivery!)!;
    assert.equal(state, 'pending');
    assert.ok(Date.parse(dueAt) < service.clock.now() + 3_600_000, dueAt);
    receiver.always({ status: 200 });
    service.clock.advance(3_600_000);
    await untilDeliveries(owner, id, all => all.get(delivery!)?.state === 'delivered');
  });
