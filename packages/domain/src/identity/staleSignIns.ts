/** Deletes ended sessions, old failures, and expired invitations and tickets. */
import { dayMs } from '../instants.ts';
import type { ManagementDeps } from '../projects/auditedChanges.ts';
import { forgottenAfterMs } from './signInAttempts.ts';

const invitationsKeptMs = 30 * dayMs; // after a month, who used an invitation no longer matters

export async function deleteStaleSignIns({
  store,
  clock,
}: Pick<ManagementDeps, 'store' | 'clock'>): Promise<void> {
  const now = clock.now();
  await store.write(async ({ signIns, invitations, spentTickets }) => {
    await signIns.removeStale({ sessionsEndedAt: now, failuresSeenAt: now - forgottenAfterMs });
    await invitations.removeExpired(now - invitationsKeptMs);
    await spentTickets.removeExpired(now);
  });
}
