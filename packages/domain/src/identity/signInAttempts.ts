/**
 * Slows down guessing. Counts each attempt in the database before the password is checked, so parallel attempts, other nodes and restarts gain
 * nothing. The right password resets the count.
 */

import { hashToken } from '@tapedeck/values/random-ids';
import { findClientSubnet } from '@tapedeck/web/client-addresses';
import type { Clock } from '../ports/clock.ts';
import type { MetadataStore, Records, SignInFailures } from '../ports/metadata.ts';
import { ServiceError } from '../vocabulary.ts';

type AttemptDeps = { store: MetadataStore; clock: Clock };
type Attempt = { address: string; account: string };

/** After the free failures, each further one doubles the wait, up to `waitMsMax`. */
const freeFailures = { account: 5, address: 20 }; // households and offices share an address
const waitMsMax = { account: 60_000, address: 15 * 60_000 }; // short for accounts, so that attackers cannot lock owners out
export const forgottenAfterMs = 60 * 60_000; // since the last failure

type Subject = keyof typeof freeFailures;
const subjects: readonly Subject[] = ['account', 'address'];

/** Counts the attempt, or rejects it while the account or address must wait. */
export async function recordAttempt(deps: AttemptDeps, attempt: Attempt): Promise<void> {
  const now = deps.clock.now();
  await deps.store.manage(async records => {
    const known = await Promise.all(
      subjects.map(subject => readFailures(records, keyOf(attempt, subject), now)),
    );
    for (const [index, subject] of subjects.entries()) requireWaited(known[index]!, subject, now);
    for (const { key, failures } of known) {
      await records.signIns.putFailures({ key, failures: failures + 1, lastFailedAt: now });
    }
  });
}

/** Takes the attempt back: resets the account's count and lowers the address's by one. */
export async function forgiveAttempt(deps: AttemptDeps, attempt: Attempt): Promise<void> {
  await deps.store.manage(async records => {
    await records.signIns.removeFailures(keyOf(attempt, 'account'));
    const address = await records.signIns.findFailures(keyOf(attempt, 'address'));
    if (address === null) return;
    await records.signIns.putFailures({ ...address, failures: Math.max(0, address.failures - 1) });
  });
}

async function readFailures(records: Records, key: string, now: number): Promise<SignInFailures> {
  const known = await records.signIns.findFailures(key);
  const counts = known !== null && now - known.lastFailedAt < forgottenAfterMs;
  return counts ? known : { key, failures: 0, lastFailedAt: 0 };
}

function requireWaited({ failures, lastFailedAt }: SignInFailures, subject: Subject, now: number): void {
  const beyond = failures - freeFailures[subject];
  if (beyond < 0) return;
  const waitMs = Math.min(1000 * 2 ** Math.min(beyond, 20), waitMsMax[subject]);
  const restMs = lastFailedAt + waitMs - now;
  const isFromAhead = restMs > waitMs + waitMsMax[subject]; // the clock was set back since
  if (restMs <= 0 || isFromAhead) return;
  const retryAfterSeconds = Math.ceil(restMs / 1000);
  const unit = retryAfterSeconds === 1 ? 'second' : 'seconds';
  throw new ServiceError(
    'sign_in_slowed',
    `Too many wrong attempts; try again in ${retryAfterSeconds} ${unit}.`,
    {
      retryAfterSeconds,
    },
  );
}

/** Hashes the account name, because users sometimes type a password there. */
function keyOf(attempt: Attempt, subject: Subject): string {
  const { account, address } = attempt;
  return `${subject}:${hashToken(subject === 'account' ? account : findClientSubnet(address))}`;
}
