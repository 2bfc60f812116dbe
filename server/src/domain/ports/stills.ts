/** Port to what takes a still picture out of a video. */
import type { Readable } from 'node:stream';

export interface StillMaker {
  /** Whether this machine can do it at all. */
  isAvailable(): Promise<boolean>;
  /**
   * A picture from near the beginning, in a format that the image scaler reads; null where the video shows none. Reads the source
   * to its end or destroys it.
   */
  make(source: Readable, video: FilmedFile): Promise<Buffer | null>;
}

/** What is known of a video before it is decoded. */
export type FilmedFile = { mimeType: string; durationSeconds: number | null };
