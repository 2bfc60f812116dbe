/** Uploads in pieces that are not finished, kept in this browser: a page that is loaded anew knows where they were. */

/** Identifies the file and its target. */
type Identity = {
  project: string;
  folder: string;
  name: string;
  size: number;
  /** The file's; with name and size it tells whether a chosen file is the same. */
  lastModified: number;
};

type InterruptedUpload = Identity & {
  /** The upload's target at this service. */
  place: string;
  sentBytes: number;
};

export type SentFile = Identity & { file: File };

export const tusProtocol = { 'Tus-Resumable': '1.0.0' };
const storageKey = 'tapedeck.uploads';

export function listInterrupted(): InterruptedUpload[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(storageKey) ?? '[]');
    // Written below, and by nothing else.
    return Array.isArray(kept) ? (kept as InterruptedUpload[]) : [];
  } catch {
    return []; // storage may be forbidden, or hold what another version wrote
  }
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
  keep([...listInterrupted(), { project, folder, name, size, lastModified, place, sentBytes }]);
}

export function forgetInterrupted(place: string): void {
  keep(listInterrupted().filter(each => each.place !== place));
}

/** Ends the upload at the service, too, without waiting: otherwise it expires within a day. */
export function endInterrupted(place: string): void {
  forgetInterrupted(place);
  fetch(place, { method: 'DELETE', headers: tusProtocol, keepalive: true }).catch(() => undefined);
}

/** The next user of this browser has no part in them. */
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

function keep(uploads: readonly InterruptedUpload[]): void {
  try {
    if (uploads.length === 0) localStorage.removeItem(storageKey);
    else localStorage.setItem(storageKey, JSON.stringify(uploads));
  } catch {
    // Storage may be forbidden or full: then an upload begins anew after a reload.
  }
}
