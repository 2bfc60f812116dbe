/** Checks whether the server accepts changes. A read-only server can still be read. */
import { isFailure } from '@tapedeck/values/failure';
import { CompiledQuery } from 'kysely';
import type { DatabaseFailure } from '../failures.ts';
import { ReadOnlyServer } from './failures.ts';
import type { Session } from './session.ts';

const fullMsMax = 30_000; // changes are tried more often than this, and each that finds the disk full reports it again

const queryState = CompiledQuery.raw(`select current_setting('transaction_read_only') as state`);

/** Rejects if the server is a replica or set to read-only (`default_transaction_read_only`). */
export async function requireWriting(session: Session): Promise<void> {
  const { rows } = await session.connection.executeQuery<{ state: string }>(queryState);
  if (rows[0]?.state !== 'on') return;
  session.release({ broken: true }); // the next connection may lead to a server that accepts changes
  throw new ReadOnlyServer();
}

/** The server only says that it is out of space when a change needs some. */
export function watchRoom() {
  let lastly: { failure: DatabaseFailure; at: number } | null = null;
  return {
    async watch<T>(change: Promise<T>): Promise<T> {
      try {
        return await change;
      } catch (error) {
        if (isFailure(error, 'disk_full')) lastly = { failure: error, at: performance.now() };
        throw error;
      }
    },
    require(): void {
      if (lastly !== null && performance.now() - lastly.at < fullMsMax) throw lastly.failure;
    },
  };
}
