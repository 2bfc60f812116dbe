/** Records of uploads in progress, and the port to the store that keeps them. */

export type Upload = {
  id: string;
  /** The owner, as the caller names it. */
  project: string;
  maker: string;
  /** The caller's data for the end of the upload, as text. */
  fields: string;
  /** Upload-Metadata, as sent. */
  metadataHeader: string;
  /** null while unknown. */
  lengthBytes: number | null;
  /** How many bytes survive a power cut. */
  sizeBytes: number;
  /** Unix milliseconds. */
  expiresAt: number;
  /** null while the upload is in progress. */
  result: string | null;
};

/** The request that works on an upload, and until when (Unix milliseconds). */
export type Hold = { holder: string; heldUntil: number };

export type Progress = Pick<Upload, 'sizeBytes' | 'lengthBytes' | 'expiresAt'>;

/** Resolves once changes are durable. An expired upload exists until it is forgotten. */
export interface UploadRecords {
  find(id: string): Promise<Upload | null>;
  /** null if there is no such upload. `isHeld` is false if another request holds it. */
  hold(id: string, hold: Hold, now: number): Promise<{ upload: Upload; isHeld: boolean } | null>;
  /** Does nothing and returns false if the holder has lost its hold. */
  renew(id: string, hold: Hold): Promise<boolean>;
  /** Returns false like `renew`. */
  progress(id: string, hold: Hold, progress: Progress): Promise<boolean>;
  release(id: string, holder: string): Promise<void>;
  /** Returns false like `renew`. */
  forget(id: string, holder: string): Promise<boolean>;
  /** Lists the ids of expired uploads in order, after `afterId`. */
  listExpired(query: { now: number; afterId: string; limit: number }): Promise<string[]>;
}
