/** Puts deliveries into a service's outbox as rules do, and waits for the result. */
import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import type { Delivery } from '@tapedeck/alerting';
import { listDeliveries } from '@tapedeck/contract/deliveries';
import { newSortableId } from '@tapedeck/values/random-ids';
import type { Client } from './client.ts';
import type { TestService } from './service.ts';

type Left = {
  channel: string;
  rule?: string;
  type?: 'rule.fired' | 'rule.resolved' | 'file.created';
  project?: string;
};

let last = 0;

/** Returns the delivery ids, which are also the message ids. */
export async function leaveDeliveries(service: TestService, ...left: Left[]): Promise<string[]> {
  const store = await service.openStore();
  const now = service.clock.now();
  const rows = left.map(({ channel, rule: name, type = 'rule.fired', project = 'default' }): Delivery => {
    last = Math.max(last + 1, now);
    const id = newSortableId(last);
    const about = { at: now, project, url: `${service.url}/projects/${project}`, type };
    const event = name === undefined ? { ...about, file: { id } } : { ...about, ...describeRule(name, now) };
    const rule = name === undefined ? null : idOf(name);
    return {
      id,
      channel,
      project,
      rule,
      type,
      messageId: id,
      event: JSON.stringify(event),
      state: 'pending',
      dueAt: now,
      attempts: [],
      createdAt: now,
      endedAt: null,
    };
  });
  await store.write(({ deliveries }) => deliveries.insert(rows));
  return rows.map(({ id }) => id);
}

/** Derives an id from a name. */
function idOf(name: string): string {
  return name.replace(/\W/g, '').padEnd(20, '0');
}

function describeRule(name: string, firedAt: number) {
  const rule = {
    id: idOf(name),
    name,
    kind: 'count',
    query: 'lost',
    dataset: null,
    by: null,
    windowSeconds: 60,
  };
  return {
    rule: { ...rule, condition: { op: '>=', value: 1 } },
    value: null,
    count: 3,
    firedAt,
    entries: [{ at: firedAt, level: 'error', resource: null, message: 'lost <b>in</b> the hold' }],
    windows: { endAt: firedAt, windowMs: 60_000, counts: [0, 3] },
  };
}

type Deliveries = Awaited<ReturnType<typeof readDeliveries>>;

async function readDeliveries(viewer: Client, channel: string, project = 'default') {
  const query = { channel, limit: 100 };
  const { deliveries } = await viewer.call(listDeliveries, { params: { project }, query });
  return new Map(deliveries.map(one => [one.id, one]));
}

/** Waits until the channel's deliveries are as expected, then returns them. */
export async function untilDeliveries(
  viewer: Client,
  channel: string,
  isSo: (deliveries: Deliveries) => boolean,
): Promise<Deliveries> {
  for (const deadline = Date.now() + 60_000; ; await wait(50)) {
    const deliveries = await readDeliveries(viewer, channel);
    if (isSo(deliveries)) return deliveries;
    assert.ok(Date.now() < deadline, JSON.stringify([...deliveries.values()], null, 1));
  }
}
