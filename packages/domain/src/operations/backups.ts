/** Records when the last backup succeeded and what it contains. The backup command writes it, the service reads it. */
import type { MetadataStore } from '../ports/metadata.ts';

export type BackupRecord = {
  /** The exported rows are at least as new as this. */
  beganAt: number;
  endedAt: number;
  version: string;
  folder: string;
  bytes: number;
  /** Counts within each part. */
  parts: Readonly<Record<string, Readonly<Record<string, number>>>>;
};

const name = 'last backup';

export async function recordBackup(
  { store }: { store: Pick<MetadataStore, 'write'> },
  mark: BackupRecord,
): Promise<void> {
  await store.write(({ installation }) => installation.put(name, JSON.stringify(mark)));
}

/** null: no backup was made yet. */
export async function readBackup({
  store,
}: {
  store: Pick<MetadataStore, 'read'>;
}): Promise<BackupRecord | null> {
  const text = await store.read.installation.find(name);
  // Only `recordBackup` writes it.
  return text === null ? null : (JSON.parse(text) as BackupRecord);
}
