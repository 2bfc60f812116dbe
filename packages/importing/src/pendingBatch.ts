/**
 * Sends a batch of log entries that is stored once, even if the importer is killed while sending. Keeps the batch and its Idempotency-Key in a file
 * until it gets an answer; the next run sends the same again.
 */
import { createHash } from 'node:crypto';
import { ApiError } from '@tapedeck/client';
import type { ImportState } from './importState.ts';
import type { Query, Remote } from './remote.ts';

const keyHours = 23; // the service keeps a key for 24 hours
const hourMs = 3_600_000;
const pendingName = 'pending.json';

type Batch = {
  path: string;
  query: Query;
  type: string;
  body: string;
  /** Tells equal entries apart, for example by their place in a file. */
  place?: string;
};

type PendingBatch = Batch & { key: string; at: number };

/** Returns null once it is stored, or the error if the service refuses an entry. */
export async function sendOnce(remote: Remote, folder: ImportState, batch: Batch): Promise<ApiError | null> {
  const { query, body, place = '' } = batch;
  const key = createHash('sha256')
    .update(JSON.stringify([place, query, body]))
    .digest('hex');
  const pending = { ...batch, key, at: Date.now() };
  await folder.write(pendingName, pending);
  try {
    await send(remote, pending);
    await folder.remove(pendingName);
    return null;
  } catch (error) {
    if (!isRefusal(error)) throw error; // it may be stored, so it stays for the next run
    await folder.remove(pendingName);
    return error;
  }
}

/** Resends batches, with their keys, that an earlier run may have sent before it was killed. */
export async function sendPending(remote: Remote, folder: ImportState, isSameToken: boolean): Promise<void> {
  const pending = await folder.read<PendingBatch>(pendingName);
  // Nobody knows the age of a batch whose time is far ahead: the clock was set back since.
  const isKeyAlive = pending !== null && Math.abs(Date.now() - pending.at) < keyHours * hourMs;
  if (pending !== null && isSameToken && isKeyAlive) {
    await send(remote, pending).catch((error: unknown) => {
      if (!isRefusal(error)) throw error; // the entries of a refused batch are read and sent again
    });
  }
  await folder.remove(pendingName);
}

function send(remote: Remote, { path, query, type, body, key }: PendingBatch): Promise<unknown> {
  return remote.post(path, { query, headers: { 'Content-Type': type, 'Idempotency-Key': key }, body });
}

function isRefusal(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status === 400 && error.index !== null;
}
