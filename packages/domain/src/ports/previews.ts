/** Port to the maker of preview pictures of videos and sounds. */
import type { Readable } from 'node:stream';

/** A still; a row of four stills from beginning to end; a sound's loudness over time. */
export const previewKinds = ['poster', 'strip', 'waveform'] as const;
export type PreviewKind = (typeof previewKinds)[number];

export interface PreviewMaker {
  /**
   * Makes a picture in a format that the image scaler reads; null if the file has no picture or sound. Reads the source to its end or destroys
   * it. Fails with `disk_full` without room for the copy that it decodes.
   */
  make(source: Readable, wanted: WantedPreview): Promise<Buffer | null>;
}

/** The kind, and facts about the file known before decoding. */
export type WantedPreview = { kind: PreviewKind; mimeType: string; durationSeconds: number | null };
