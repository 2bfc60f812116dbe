/** Port to the records of resumable uploads. */
import type { Upload, UploadRecords } from '@tapedeck/resumable-uploads';
import type { StoredFile } from './files.ts';

export type { ArrivedBytes, Upload } from '@tapedeck/resumable-uploads';

/** Limits for all uploads in progress in a project. */
export type BegunLimits = { uploadsMax: number; bytesMax: number };

export interface ResumableUploadRecords extends UploadRecords {
  /**
   * Fails with `quota_exceeded` if the project has no room for the whole upload beside its files and other unfinished
   * uploads, or has too many unfinished ones; with `not_found` if the project is gone. An upload of unknown length
   * counts with the bytes received.
   */
  create(upload: Upload, limits: BegunLimits): Promise<void>;
  /**
   * Inserts the file as `FileRecords.insert` does and makes it the upload's result, both or neither. `not_found` where the holder
   * has lost the upload.
   */
  finish(done: { id: string; holder: string; expiresAt: number }, file: StoredFile): Promise<void>;
  /** Ends all holds: for the only process, at its start. */
  releaseAll(): Promise<void>;
}
