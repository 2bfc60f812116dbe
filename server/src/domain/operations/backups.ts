/** Records when the last backup succeeded and what it contains. The command writes it, the service reads it. */
import type { MetadataStore } from '../ports/metadata.ts';

export type BackupRecord = {
  /** The view that the rows are of is no older. */
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

/** null: none was made. */
export async function readBackup({
  store,
}: {
  store: Pick<MetadataStore, 'read'>;
}): Promise<BackupRecord | null> {
  const text = await store.read.installation.find(name);
  // Written by `recordBackup` alone.
  return text === null ? null : (JSON.parse(text) as BackupRecord);
}
