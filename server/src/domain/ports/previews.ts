/** Port to what makes pictures of videos and sounds. */
import type { Readable } from 'node:stream';

/** A still; a row of four stills from beginning to end; the loudness of a sound over time. */
export const previewKinds = ['poster', 'strip', 'waveform'] as const;
export type PreviewKind = (typeof previewKinds)[number];

export interface PreviewMaker {
  /**
   * A picture in a format that the image scaler reads; null where the file shows or plays nothing. Reads the source to its end or
   * destroys it. Without room for the copy that it decodes: `disk_full`.
   */
  make(source: Readable, wanted: WantedPreview): Promise<Buffer | null>;
}

/** The kind, and what is known of the file before it is decoded. */
export type WantedPreview = { kind: PreviewKind; mimeType: string; durationSeconds: number | null };
