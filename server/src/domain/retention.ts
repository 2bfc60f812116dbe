/** How long media live: the rules of a project, and the rule that holds for one file. */
import type { MediaType } from '../vocabulary.ts';

/** Days; null keeps for ever. Folder rules take precedence, the longest prefix first. */
export type MediaRetention = {
  days: Readonly<Record<MediaType, number | null>>;
  folders: readonly { prefix: string; days: number | null }[];
};

export const keepForEver: MediaRetention = { days: { image: null, video: null, audio: null }, folders: [] };
