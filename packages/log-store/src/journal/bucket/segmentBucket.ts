/** Port to the bucket that holds segments for all nodes. */
export interface SegmentBucket {
  /** Resolves once the bytes are kept. A repeated write has the same bytes. After a rejection they may or may not be kept. */
  put(name: string, bytes: Buffer): Promise<void>;
  /** Resolves to null if no object has the name. */
  read(name: string): Promise<Buffer | null>;
  /** A missing object is no error. */
  remove(name: string): Promise<void>;
  /** Lists objects whose names begin with the folder, by name. */
  list(folder: string): AsyncIterable<string>;
  /** Rejects when the bucket does not answer, or takes no writes. */
  check(): Promise<void>;
}
