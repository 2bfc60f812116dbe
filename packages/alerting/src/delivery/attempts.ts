/** Makes one delivery attempt and decides what follows: a retry, success, failure, or a pause of the channel. */
import type { NotificationEvent } from '@tapedeck/notifications';
import { newSortableId } from '@tapedeck/values/random-ids';
import type { Clock } from '../ports/clock.ts';
import type { Notifier, Posted } from '../ports/notifier.ts';
import type { AlertRecords, AlertStore, Channel, Delivery, DueTimes } from '../ports/records.ts';

type AttemptDeps = {
  store: AlertStore;
  clock: Clock;
  notifier: Notifier;
  address: { publicUrl: string };
};

const pausesMs = [5_000, 25_000, 90_000, 300_000, 600_000, 1_200_000, 2_400_000]; // CONTRACT.md, 10.1: four attempts within 240 s
const pauseMsMax = 3_600_000;
export const givenUpAfterMs = 86_400_000; // CONTRACT.md, 10
const clockErrorMsMax = 3_600_000;

/** A delivery waits for a day at most, so that a later time was written while a clock was ahead. */
export function listDueTimes(now: number): DueTimes {
  return { now, latest: now + givenUpAfterMs + clockErrorMsMax };
}

/** Returns whether this was the delivery's last attempt, and whether the channel may send more at once. */
export async function attemptDelivery(
  deps: AttemptDeps,
  { channel, delivery }: { channel: Channel; delivery: Delivery },
  signal: AbortSignal,
): Promise<{ isOver: boolean; goesOn: boolean }> {
  const { store, clock, notifier } = deps;
  const at = clock.now();
  const message = { id: delivery.messageId, event: readEvent(delivery, deps), at };
  const posted = await notifier.post(channel, message, signal);
  const { outcome, status, answer, tookMs } = posted;
  const now = clock.now();
  const attempts = [...delivery.attempts, { at, status, answer, tookMs }];
  const beganAt = attempts.find(attempt => attempt.at <= now)?.at ?? now; // the clock may have been ahead
  const endsAt = beganAt + givenUpAfterMs;
  const state =
    outcome === 'taken' ? 'delivered' : outcome === 'failed' && now < endsAt ? 'pending' : 'failed';
  const dueAt = chooseDueAt(attempts.length, posted, { now, endsAt });
  const next = { ...delivery, attempts, state, dueAt, endedAt: state === 'pending' ? null : now } as const;
  const isAsked = state === 'pending' && (status === 429 || posted.retryAfterMs !== null);
  const heldUntil = isAsked ? dueAt : null;
  await store.write(async records => {
    await records.deliveries.update(next);
    await recordAnswer(records, channel.id, { posted, at, now, heldUntil });
  });
  const isSilent = outcome === 'failed' && status === null;
  return { isOver: state !== 'pending', goesOn: heldUntil === null && !isSilent };
}

/** Reads the event. Events written without an address get a link to the project. */
function readEvent({ event, project }: Delivery, { address }: AttemptDeps): NotificationEvent {
  const told = JSON.parse(event) as NotificationEvent; // `composeDeliveries` wrote it, or the code that stores a file or session did
  const page = told.type.startsWith('session.') ? 'sessions' : 'files';
  return { ...told, url: told.url || `${address.publicUrl}/projects/${project}/${page}` };
}

type Span = { now: number; endsAt: number };

/** Waits as long as the receiver asks, but makes a last attempt before the day ends. */
function chooseDueAt(attempts: number, { retryAfterMs }: Posted, { now, endsAt }: Span): number {
  const pauseMs = pausesMs[attempts - 1] ?? pauseMsMax;
  const dueAt = now + Math.max(pauseMs, retryAfterMs ?? 0);
  return now < endsAt ? Math.min(dueAt, endsAt) : dueAt;
}

type Noted = { posted: Posted; at: number; now: number; heldUntil: number | null };

/** Reads the channel again, because it may have changed meanwhile. */
async function recordAnswer(records: AlertRecords, id: string, noted: Noted): Promise<void> {
  const before = await records.channels.find(id);
  const after = before && updateChannel(before, noted);
  if (after === null || after === before) return;
  await records.channels.update(after);
  if (before?.off !== null || after.off === null) return;
  const { project, name, off } = after;
  await records.audit.append({
    id: newSortableId(noted.now),
    at: noted.now,
    actor: 'service',
    project,
    action: 'channel.switch_off',
    target: id,
    details: { name, reason: off.reason },
  });
}

/** Returns the same channel if nothing changes. */
function updateChannel(
  channel: Channel,
  { posted: { outcome, status }, at, now, heldUntil }: Noted,
): Channel {
  if (outcome === 'taken') {
    if (channel.failingSince === null && channel.heldUntil === null) return channel;
    return { ...channel, failingSince: null, heldUntil: null };
  }
  const failingSince = Math.min(channel.failingSince ?? at, at); // the clock may have been ahead
  const isOver = channel.off === null && now - failingSince >= givenUpAfterMs;
  const said = status === null ? 'did not answer' : `answered ${status}`;
  const reason = `No delivery succeeded for a day; in the last attempt, the receiver ${said}.`;
  return { ...channel, failingSince, heldUntil, off: isOver ? { at: now, reason } : channel.off };
}
