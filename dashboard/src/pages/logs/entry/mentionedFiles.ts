/** Finds the files whose URLs an entry contains, in text or metadata. */
import { splitAddresses } from '../../../format/urls.ts';
import type { FileRecord } from '../../../queries/fileRecords.ts';
import type { LogEntry } from '../../../queries/logs.ts';

const keysMax = 8; // per entry: the number of pictures that fit beside it
const keyCharactersMax = 200; // longer ones would not fit a query, and uploads rarely create them

export type MentionedFile = { url: string; key: string };

/** Lists each URL once, in order. Other hosts may have the same paths; `isMentioned` checks the host. */
export function findMentionedFiles({ body, metadata }: LogEntry, project: string): MentionedFile[] {
  const found = new Map<string, MentionedFile>();
  for (const text of [body, ...Object.values(metadata)]) {
    if (!text.includes(`/${project}/`)) continue; // skips most entries, which name no file
    for (const { text: address, isAddress } of splitAddresses(text)) {
      const key = isAddress ? readKey(address, project) : null;
      if (key !== null && found.size < keysMax) found.set(address, { url: address, key });
    }
  }
  return [...found.values()];
}

/** Reads the key after the project: below `/media` on the service, at the root of a bucket or domain. */
function readKey(address: string, project: string): string | null {
  const path = URL.parse(address)?.pathname ?? '';
  const start = path.indexOf(`/${project}/`) + project.length + 2;
  if (start < project.length + 2 || path.length > start + keyCharactersMax * 3) return null;
  try {
    const key = decodeURIComponent(path.slice(start));
    return key.includes('.') && key.length <= keyCharactersMax ? key : null; // every key has an extension
  } catch {
    return null; // invalid percent encoding
  }
}

/** True if one of the URLs leads to the file, on the service or the project's domain. */
export function isMentioned(mentioned: readonly MentionedFile[], file: FileRecord, ownHost: string): boolean {
  const hosts = [ownHost, ...[file.url, file.originalUrl].flatMap(url => URL.parse(url)?.host ?? [])];
  return mentioned.some(({ url, key }) => key === file.key && hosts.includes(URL.parse(url)?.host ?? ''));
}
