/** Deletes notifications, along with their channels and rules or once they are old. */
import { givenUpAfterMs } from './delivery/attempts.ts';
import type { AlertRecords, AlertStore } from './ports/records.ts';

const keptMs = 30 * 86_400_000; // CONTRACT.md, 10
const removedAtOnceMax = 1_000; // one transaction takes milliseconds

/** Removes deliveries in batches, because a channel may have a month of them. */
export async function removeDeliveries(store: Pick<AlertStore, 'write'>, channel: string): Promise<void> {
  const removeSome = () => store.write(({ outbox }) => outbox.removeSome(channel, removedAtOnceMax));
  while ((await removeSome()) === removedAtOnceMax);
}

/** Deletes the rules and channels of a deleted project, with everything that belongs to them. */
export async function deleteNotifications(
  { channels, rules }: Pick<AlertRecords, 'channels' | 'rules'>,
  project: string,
): Promise<void> {
  for (const { id } of await rules.list(project)) await rules.remove(id);
  for (const { id } of await channels.list(project)) await channels.remove(id);
}

/** Deletes deliveries and history after 30 days, and fails deliveries that wait for a channel that is off. */
export async function removeOld(store: Pick<AlertStore, 'write'>, now: number): Promise<void> {
  await store.write(async ({ notifications, outbox }) => {
    await notifications.forgetBefore(now - keptMs);
    await outbox.giveUpStranded({ createdBefore: now - givenUpAfterMs, now });
  });
}
