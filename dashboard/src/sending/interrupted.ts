/** Uploads in pieces that are not finished, kept in this browser: a page that is loaded anew knows where they were. */

type InterruptedUpload = {
  project: string;
  folder: string;
  name: string;
  size: number;
  /** Of the file; with name and size it tells whether a chosen file is the same. */
  lastModified: number;
  /** Where its bytes go, at this service. */
  place: string;
  sentBytes: number;
};

export type SentFile = { project: string; folder: string; file: File };

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

export function recallInterrupted(sent: SentFile): InterruptedUpload | undefined {
  return listInterrupted().find(each => isSame(each, sent));
}

export function rememberInterrupted(sent: SentFile, place: string, sentBytes: number): void {
  const { project, folder, file } = sent;
  const { name, size, lastModified } = file;
  const others = listInterrupted().filter(each => !isSame(each, sent));
  keep([...others, { project, folder, name, size, lastModified, place, sentBytes }]);
}

export function forgetInterrupted(place: string): void {
  keep(listInterrupted().filter(each => each.place !== place));
}

/** At the service, too: nobody waits for that, else it is gone in a day. */
export function endInterrupted(place: string): void {
  forgetInterrupted(place);
  fetch(place, { method: 'DELETE', headers: tusProtocol, keepalive: true }).catch(() => undefined);
}

/** The next user of this browser has no part in them. */
export function forgetAllInterrupted(): void {
  keep([]);
}

function isSame(kept: InterruptedUpload, { project, folder, file }: SentFile): boolean {
  return kept.project === project && kept.folder === folder && isSameFile(kept, file);
}

export function isSameFile(
  kept: Pick<InterruptedUpload, 'name' | 'size' | 'lastModified'>,
  file: File,
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
