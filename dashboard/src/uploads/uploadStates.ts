/** The states of an upload, from choosing the file to the stored file. */
import type { FileRecord } from '../queries/fileRecords.ts';

export type UploadState =
  /** Asking whether the service has the file. */
  | { kind: 'checking' }
  | { kind: 'waiting' }
  | { kind: 'sending'; share: number }
  | { kind: 'kept'; file: FileRecord }
  /** Not sent: the service has the same bytes under this name in this folder. */
  | { kind: 'skipped'; fileId: string }
  /** `isRefused`: the service refused the file itself. */
  | { kind: 'failed'; reason: string; isRefused?: boolean }
  /** Not sent: a retry would change nothing. */
  | { kind: 'refused'; reason: string }
  /** The page was reloaded and lost the file, so the user must choose it again. */
  | { kind: 'interrupted'; share: number; place: string; reason: string };

export type Upload = {
  id: number;
  project: string;
  folder: string;
  name: string;
  size: number;
  lastModified: number;
  /** null while interrupted. */
  file: File | null;
  state: UploadState;
};

export function isOpen({ kind }: UploadState): boolean {
  return kind === 'checking' || kind === 'waiting' || kind === 'sending';
}

/** True if it failed for a reason that may have passed. */
export function isWorthTrying(state: UploadState): boolean {
  return state.kind === 'failed' && state.isRefused !== true;
}

/** True if only a new attempt can change it. */
export function isOver(state: UploadState): boolean {
  return !isOpen(state) && state.kind !== 'interrupted';
}

/** True if the service may have part of it. */
export function isUnfinished({ kind }: UploadState): boolean {
  return kind !== 'kept' && kind !== 'refused' && kind !== 'skipped';
}
