/** Port to the upload links that users make in the dashboard. */
import type { MediaType } from '../vocabulary.ts';

export type UploadLink = {
  /** Also stored in the metadata of files uploaded through it. */
  id: string;
  project: string;
  /** A user. */
  makerId: string;
  path: string;
  /** null: any. */
  type: MediaType | null;
  usesMax: number;
  createdAt: number;
  expiresAt: number;
};

export interface UploadLinks {
  insert(link: UploadLink): Promise<void>;
  /** Newest first. */
  listNewest(whose: { project: string; makerId: string }, limit: number): Promise<UploadLink[]>;
  /** Removes links of all projects that expired before the instant. */
  forgetExpired(before: number): Promise<void>;
}
