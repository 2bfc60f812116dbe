/** Port to the records of resumable uploads. */
import type { Upload, UploadRecords } from '@tapedeck/resumable-uploads';
import type { StoredFile } from './files.ts';

export type { ArrivedBytes, Upload } from '@tapedeck/resumable-uploads';

/** Limits on a project's unfinished uploads together. */
export type BegunLimits = { uploadsMax: number; bytesMax: number };

export interface ResumableUploadRecords extends UploadRecords {
  /**
   * Fails with `quota_exceeded` if the project has no room for the whole upload beside its files and other unfinished uploads, or has too many
   * unfinished ones; with `not_found` if the project is gone. An upload of unknown length counts the bytes received.
   */
  create(upload: Upload, limits: BegunLimits): Promise<void>;
  /**
   * Inserts the file like `FileRecords.insert` and makes it the upload's result, both or neither. Fails with `not_found` if the holder has
   * lost the upload.
   */
  finish(done: { id: string; holder: string; expiresAt: number }, file: StoredFile): Promise<void>;
  /** Ends all holds. Only a process that runs alone calls it, at its start. */
  releaseAll(): Promise<void>;
}
