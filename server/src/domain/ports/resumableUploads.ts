/** Port to the records of resumable uploads. */
import type { Upload, UploadRecords } from '@tapedeck/resumable-uploads';
import type { StoredFile } from './files.ts';

export type { ArrivedBytes, Upload } from '@tapedeck/resumable-uploads';

/** Limits for all uploads in progress in a project. */
export type BegunLimits = { uploadsMax: number; bytesMax: number };

export interface ResumableUploadRecords extends UploadRecords {
  /**
   * `quota_exceeded` where the project has no room for the whole of it beside its files and the other uploads that go on, or has begun
   * too many; `not_found` where the project is gone. Of an upload whose length is not known, what has come counts.
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
