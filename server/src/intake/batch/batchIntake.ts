/** Takes in batches of V3, for the router and for the fast path before it. */
import type { IngestReceipt, IngestRequest } from '../../domain/logs/intake/ingest.ts';
import { type EntryIntakeDeps, takeEntries } from '../entryIntake.ts';
import { format } from './batchFormat.worker.ts';

const spelling = { format, options: {} };

export async function ingestLogs(deps: EntryIntakeDeps, request: IngestRequest): Promise<IngestReceipt> {
  const receipt = await takeEntries(deps, request, spelling);
  if (receipt === null) throw new Error('A batch holds an entry at least.');
  return receipt;
}
