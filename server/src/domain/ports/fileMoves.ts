/** Port to files whose bytes may have to move. A worker claims a file, and the claim expires. */

/** The secret of a place, as in `BlobName`. */
export type PlaceSecret = string | null;

export type FileMove = {
  fileId: string;
  /** Every other place where the file's bytes may lie. */
  secrets: readonly PlaceSecret[];
  /** How often it was marked by the time of the claim. */
  marks: number;
  /** When the claim ends, which tells it from others. */
  claimedUntil: number;
};

export interface FileMoves {
  /** The file must be looked at from now on, even if somebody already works on it. Durable. */
  mark(fileId: string, now: number): Promise<void>;
  /** null where there is nothing to do, and `held` where somebody else has it. */
  claim(fileId: string, now: number, until: number): Promise<FileMove | 'held' | null>;
  /** Adds a place before bytes are put there. Durable. False when the claim is over. */
  addPlace(move: FileMove, secret: PlaceSecret): Promise<boolean>;
  /** Ends the claim, and forgets the file unless it was marked meanwhile: false then, and it is due at once. */
  finish(move: FileMove, now: number): Promise<boolean>;
  /** The ids of files that nobody works on, those that are due for longest first. */
  listDue(now: number, limit: number): Promise<string[]>;
}
