/** Remembers unfinished chunked uploads in this browser, so that a reloaded page can resume them. */
import { readStored, readStoredList, store, storeList } from '../browserStorage.ts';

/** Identifies the file and its target. */
type Identity = {
  project: string;
  folder: string;
  name: string;
  size: number;
  /** With name and size, identifies the file if the user chooses it again. */
  lastModified: number;
};

type InterruptedUpload = Identity & {
  /** The upload's address at this service. */
  place: string;
  sentBytes: number;
};

export type SentFile = Identity & { file: File };

export const tusProtocol = { 'Tus-Resumable': '1.0.0' };
const storageKey = 'tapedeck.uploads';
const uploaderKey = 'tapedeck.uploader';

export function listInterrupted(): InterruptedUpload[] {
  // Only the code below writes it.
  return readStoredList(storageKey) as InterruptedUpload[];
}

export function recallInterrupted(sent: Identity): InterruptedUpload | undefined {
  return listInterrupted().find(each => isSame(each, sent));
}

export function rememberInterrupted(
  { project, folder, name, size, lastModified }: Identity,
  place: string,
  sentBytes: number,
): void {
  forgetInterrupted(place);
  storeList(storageKey, [
    ...listInterrupted(),
    { project, folder, name, size, lastModified, place, sentBytes },
  ]);
}

export function forgetInterrupted(place: string): void {
  storeList(
    storageKey,
    listInterrupted().filter(each => each.place !== place),
  );
}

/** Also ends the upload at the service, without waiting. Otherwise it expires within a day. */
export function endInterrupted(place: string): void {
  forgetInterrupted(place);
  fetch(place, { method: 'DELETE', headers: tusProtocol, keepalive: true }).catch(() => undefined);
}

let uploader: string | null = null;

/** Returns the user whose uploads this browser has. */
export function recallUploader(): string | null {
  uploader ??= readStored(uploaderKey);
  return uploader;
}

export function rememberUploader(user: string): void {
  if (uploader === user) return;
  uploader = user;
  store(uploaderKey, user);
}

/** The browser's next user must not see them. */
export function endAllInterrupted(): void {
  for (const { place } of listInterrupted()) endInterrupted(place);
}

function isSame(kept: Identity, sent: Identity): boolean {
  return kept.project === sent.project && kept.folder === sent.folder && isSameFile(kept, sent);
}

export function isSameFile(
  kept: Pick<Identity, 'name' | 'size' | 'lastModified'>,
  file: typeof kept,
): boolean {
  return kept.name === file.name && kept.size === file.size && kept.lastModified === file.lastModified;
}
