/** Port to the queue of files whose bytes may have to move. A worker claims a file; the claim expires. */

/** The secret of a place, as in `BlobName`. */
export type BlobSecret = string | null;

export type FileMove = {
  fileId: string;
  /** All other places that may hold the file's bytes. */
  secrets: readonly BlobSecret[];
  /** How often the file had been marked when it was claimed. */
  marks: number;
  /** When the claim expires. Also identifies the claim. */
  claimedUntil: number;
};

export interface FileMoves {
  /** Queues the file for a check, even if a worker holds it already. Durable. */
  mark(fileId: string, now: number): Promise<void>;
  /** null if there is nothing to do; `held` if another worker holds the file. A claim far beyond `until` is one that a wrong clock has written. */
  claim(fileId: string, now: number, until: number): Promise<FileMove | 'held' | null>;
  /** Records a place before bytes are written there. Durable. Returns false if the claim is over. */
  addPlace(move: FileMove, secret: BlobSecret): Promise<boolean>;
  /** Ends the claim and drops the file from the queue. Returns false if it was marked meanwhile; it is then due at once. */
  finish(move: FileMove, now: number): Promise<boolean>;
  /** Lists ids of due files that no worker holds, longest due first. */
  listDue(now: number, limit: number): Promise<string[]>;
}
