/** The outbox: one row for each channel, written in the same transaction as the event. */
import type { NotificationEvent } from '@tapedeck/notifications';
import { newSortableId } from '@tapedeck/values/random-ids';
import { AlertingFailure } from './failures.ts';
import type { Clock } from './ports/clock.ts';
import type { Editor } from './ports/editor.ts';
import type { AlertStore, Channel, Delivery, OutboxMeasures } from './ports/records.ts';

/** Generates ids that sort by creation time, even within a millisecond. */
export class OrderedIds {
  readonly #clock: Pick<Clock, 'now'>;
  #last = 0;

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  next(): string {
    this.#last = Math.max(this.#last + 1, this.#clock.now());
    return newSortableId(this.#last);
  }
}

type Notification = { event: NotificationEvent; rule: string | null };

/** Composes one delivery per active channel. */
export function composeDeliveries(
  ids: OrderedIds,
  { event, rule }: Notification,
  to: { channels: readonly Channel[]; now: number },
): Delivery[] {
  return to.channels
    .filter(({ off }) => off === null)
    .map(({ id: channel, project }) => {
      const id = ids.next();
      return {
        id,
        project,
        channel,
        rule,
        type: event.type,
        messageId: id,
        event: JSON.stringify(event),
        state: 'pending',
        dueAt: to.now,
        attempts: [],
        createdAt: to.now,
        endedAt: null,
      };
    });
}

export async function listDeliveries(
  { store }: { store: Pick<AlertStore, 'read'> },
  {
    before,
    limit,
    ...filter
  }: {
    project: string;
    channel: string | null;
    rule: string | null;
    before: string | null;
    limit: number;
  },
): Promise<{ deliveries: Delivery[]; nextBefore: string | null }> {
  const found = await store.read.deliveries.list({ ...filter, beforeId: before, limit: limit + 1 });
  const deliveries = found.slice(0, limit);
  return { deliveries, nextBefore: found.length > limit ? (deliveries.at(-1)?.id ?? null) : null };
}

/** Sends a message again, even if it arrived. It does not wait for other messages. */
export async function repeatDelivery(
  editor: Editor,
  { project, id }: { project: string; id: string },
): Promise<Delivery> {
  editor.requireRights(project);
  return editor.change(async ({ records, now, audit }) => {
    const before = await records.deliveries.find(id);
    if (before === null || before.project !== project)
      throw new AlertingFailure('not_found', 'There is no such delivery; they are kept for thirty days.');
    const fresh = { state: 'pending', dueAt: now, attempts: [], createdAt: now, endedAt: null } as const;
    const delivery: Delivery = { ...before, ...fresh, id: newSortableId(now), rule: null };
    await records.deliveries.insert([delivery]);
    await audit({ project, action: 'delivery.repeat', target: id, details: { type: before.type } });
    return delivery;
  });
}

const recentlyMs = 86_400_000; // enough for users who look once a day

export function readOutbox({
  store,
  clock,
}: {
  store: Pick<AlertStore, 'read'>;
  clock: Clock;
}): Promise<OutboxMeasures> {
  return store.read.outbox.measure({ now: clock.now(), failedSinceMs: recentlyMs });
}
