/** Stores the files of a request, then the entries that name them. Removes the files again if the entries cannot be stored. */
import type { Attachment } from '@tapedeck/chat-messages';
import type { MessageFiles } from '@tapedeck/domain/files/messageFiles';
import type { AddEntries, IngestReceipt, WriteEntries } from '@tapedeck/domain/logs/intake/ingest';

type Naming = {
  files: MessageFiles;
  /** Reads the entries again, with the names of the stored files. */
  read(attachments: readonly Attachment[]): Promise<{ write: WriteEntries }>;
};

/** Call it only under the request's `Idempotency-Key`, or a repeat stores the files again. */
export async function addWithFiles(
  { files, read }: Naming,
  add: AddEntries,
): Promise<{ receipt: IngestReceipt | null; attachments: readonly Attachment[] }> {
  const attachments = await files.keep();
  try {
    const { write } = await read(attachments);
    return { receipt: await add(write), attachments };
  } catch (error) {
    await files.release();
    throw error;
  }
}
