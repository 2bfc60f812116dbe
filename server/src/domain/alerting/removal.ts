/** Deletes notifications along with their channels and rules. */
import type { MetadataStore, Records } from '../ports/metadata.ts';

const removedAtOnceMax = 1_000; // a transaction of milliseconds

/** By and by, for there may be a month of them. */
export async function removeDeliveries(store: Pick<MetadataStore, 'write'>, channel: string): Promise<void> {
  const removeSome = () => store.write(({ outbox }) => outbox.removeSome(channel, removedAtOnceMax));
  while ((await removeSome()) === removedAtOnceMax);
}

/** Of a project that is deleted, with all that hangs on them. */
export async function deleteNotifications(
  { channels, rules }: Pick<Records, 'channels' | 'rules'>,
  project: string,
): Promise<void> {
  for (const { id } of await rules.list(project)) await rules.remove(id);
  for (const { id } of await channels.list(project)) await channels.remove(id);
}
