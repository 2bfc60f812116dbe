/** Port to the upload links that people made in the dashboard. */
import type { MediaType } from '../../vocabulary.ts';

export type UploadLink = {
  /** Stands in the metadata of the files that arrive through it. */
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
  /** Forgets those that expired before, of all projects. */
  forgetExpired(before: number): Promise<void>;
}
