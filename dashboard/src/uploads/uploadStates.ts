/** An upload, from the choice of its file to the stored file. */
import type { FileRecord } from '../queries/fileRecords.ts';

export type UploadState =
  /** Whether the service has the file already. */
  | { kind: 'checking' }
  | { kind: 'waiting' }
  | { kind: 'sending'; share: number }
  | { kind: 'kept'; file: FileRecord }
  /** Not sent: the service has the same bytes by this name in this folder. */
  | { kind: 'skipped'; fileId: string }
  /** `isRefused`: by the service, for what the file is. */
  | { kind: 'failed'; reason: string; isRefused?: boolean }
  /** Not sent: to try again would change nothing. */
  | { kind: 'refused'; reason: string }
  /** By a reload of the page, which forgot the file: it has to be chosen again. */
  | { kind: 'interrupted'; share: number; place: string; reason: string };

export type Upload = {
  id: number;
  project: string;
  folder: string;
  name: string;
  size: number;
  lastModified: number;
  /** null while it is interrupted. */
  file: File | null;
  state: UploadState;
};

export function isOpen({ kind }: UploadState): boolean {
  return kind === 'checking' || kind === 'waiting' || kind === 'sending';
}

/** It failed for a cause that may be gone by now. */
export function isWorthTrying(state: UploadState): boolean {
  return state.kind === 'failed' && state.isRefused !== true;
}

/** Nothing more comes of it by itself or by hand, but a new attempt. */
export function isOver(state: UploadState): boolean {
  return !isOpen(state) && state.kind !== 'interrupted';
}

/** Part of it may be at the service. */
export function isUnfinished({ kind }: UploadState): boolean {
  return kind !== 'kept' && kind !== 'refused' && kind !== 'skipped';
}
