/** Files that an entry names by their URLs, in its text or its metadata. */
import { splitAddresses } from '../../../format/urls.ts';
import type { FileRecord } from '../../../queries/fileRecords.ts';
import type { LogEntry } from '../../../queries/logs.ts';

const keysMax = 8; // per entry: as many pictures as fit beside it
const keyCharactersMax = 200; // longer ones would not fit a query, and no upload makes them in practice

export type MentionedFile = { url: string; key: string };

/** Each once, in the order in which they are named. Another host may have the same paths: `isMentioned` knows. */
export function findMentionedFiles({ body, metadata }: LogEntry, project: string): MentionedFile[] {
  const found = new Map<string, MentionedFile>();
  for (const text of [body, ...Object.values(metadata)]) {
    if (!text.includes(`/${project}/`)) continue; // most entries name no file, and are many
    for (const { text: address, isAddress } of splitAddresses(text)) {
      const key = isAddress ? readKey(address, project) : null;
      if (key !== null && found.size < keysMax) found.set(address, { url: address, key });
    }
  }
  return [...found.values()];
}

/** Reads the key after the project: behind `/media` at the service, and at the root of a bucket or domain. */
function readKey(address: string, project: string): string | null {
  const path = URL.parse(address)?.pathname ?? '';
  const start = path.indexOf(`/${project}/`) + project.length + 2;
  if (start < project.length + 2 || path.length > start + keyCharactersMax * 3) return null;
  try {
    const key = decodeURIComponent(path.slice(start));
    return key.includes('.') && key.length <= keyCharactersMax ? key : null; // each key ends in an extension
  } catch {
    return null; // percent signs that encode nothing
  }
}

/** Whether one of the URLs leads to the file: at the service, or at the domain of its project. */
export function isMentioned(mentioned: readonly MentionedFile[], file: FileRecord, ownHost: string): boolean {
  const hosts = [ownHost, ...[file.url, file.originalUrl].flatMap(url => URL.parse(url)?.host ?? [])];
  return mentioned.some(({ url, key }) => key === file.key && hosts.includes(URL.parse(url)?.host ?? ''));
}
