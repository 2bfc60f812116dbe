/** Opens the journal that nodes share: entries in the bucket, and their records in the database. */
import { openJournalObjects } from '@tapedeck/blob-stores';
import type { MetadataStore } from '@tapedeck/domain/ports/metadata';
import type { SharedJournal } from '@tapedeck/log-store';
import type { Config } from '../config.ts';

/** null: each node has its own journal. */
export function openSharedJournal(
  { journal }: Pick<Config, 'journal'>,
  store: MetadataStore,
  opened: AsyncDisposableStack,
): SharedJournal | null {
  if (journal === null) return null;
  const bucket = opened.use(openJournalObjects(journal));
  return { bucket, registry: store.logSegments, deletions: store.read.logDeletions };
}
