/** Port to the bucket that holds segments for all nodes. */
export interface SegmentBucket {
  /** Resolves once the bytes are kept. What is written again is the same. After a rejection they are kept or not. */
  put(name: string, bytes: Buffer): Promise<void>;
  /** null when there is none of the name. */
  read(name: string): Promise<Buffer | null>;
  /** One that is not there is no error. */
  remove(name: string): Promise<void>;
  /** Lists objects whose names begin with the folder, by name. */
  list(folder: string): AsyncIterable<string>;
  /** Rejects when the bucket does not answer. */
  check(): Promise<void>;
}
