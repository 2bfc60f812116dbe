/** Records of uploads in progress, and the port to their store. */

export type Upload = {
  id: string;
  /** The owner, in the terms of the caller. */
  project: string;
  maker: string;
  /** Data that the user of the engine needs at the end, as text. */
  fields: string;
  /** Upload-Metadata, as it was sent. */
  metadataHeader: string;
  /** null as long as it is not known. */
  lengthBytes: number | null;
  /** How many bytes survive a power cut. */
  sizeBytes: number;
  /** Unix milliseconds. */
  expiresAt: number;
  /** The result; null while the upload is in progress. */
  result: string | null;
};

/** Who works on an upload, and until when nobody else may: Unix milliseconds. */
export type Hold = { holder: string; heldUntil: number };

export type Progress = Pick<Upload, 'sizeBytes' | 'lengthBytes' | 'expiresAt'>;

/** All that is resolved is durable. An upload that has expired is still there until it is forgotten. */
export interface UploadRecords {
  find(id: string): Promise<Upload | null>;
  /** null where there is none; `isHeld` is false where another holder has it. */
  hold(id: string, hold: Hold, now: number): Promise<{ upload: Upload; isHeld: boolean } | null>;
  /** False, and nothing is done, where the holder has lost it. */
  renew(id: string, hold: Hold): Promise<boolean>;
  /** The same. */
  progress(id: string, hold: Hold, progress: Progress): Promise<boolean>;
  release(id: string, holder: string): Promise<void>;
  /** The same as `renew`. */
  forget(id: string, holder: string): Promise<boolean>;
  /** The ids of those that have expired, in their order, from behind one on. */
  listExpired(query: { now: number; afterId: string; limit: number }): Promise<string[]>;
}
