/** Retention rules of media: as stored, and as users write them. */
import { invalidFieldError, limits, type MediaType, mediaTypes, type ServiceError } from '../vocabulary.ts';
import { parseFolderPath } from './folderPath.ts';

/** Days; null: forever. Folder rules take precedence, the longest prefix first. */
export type MediaRetention = {
  days: Readonly<Record<MediaType, number | null>>;
  folders: readonly { prefix: string; days: number | null }[];
};

export type RetentionChanges = {
  days?: Partial<MediaRetention['days']>;
  folders?: MediaRetention['folders'];
};

export const keepForEver: MediaRetention = { days: { image: null, video: null, audio: null }, folders: [] };

/** Returns the days that a file is kept, by the nearest folder's rule or else its type's; null: forever. */
export function findRetentionDays(
  { days, folders }: MediaRetention,
  { path, type, retentionExempt }: { path: string; type: MediaType; retentionExempt: boolean },
): number | null {
  if (retentionExempt) return null;
  const rules = folders.filter(({ prefix }) => path === prefix || path.startsWith(`${prefix}/`));
  const [nearest] = rules.toSorted((one, other) => other.prefix.length - one.prefix.length);
  return nearest === undefined ? days[type] : nearest.days;
}

/** Parses `image=30d`, `audio=none`, `path:clips/=7d`; null if there are none. */
export function readRetentionRules(words: readonly string[]): RetentionChanges | null {
  if (words.length === 0) return null;
  const days: Partial<Record<MediaType, number | null>> = {};
  const folders: { prefix: string; days: number | null }[] = [];
  for (const word of words) {
    const at = word.lastIndexOf('=');
    const subject = word.slice(0, at);
    const kept = readDays(word.slice(at + 1));
    if (kept === undefined) throw retentionRuleError(word);
    const type = mediaTypes.find(known => known === subject);
    if (type !== undefined) days[type] = kept;
    else if (subject.startsWith('path:'))
      folders.push({ prefix: readFolder(word, subject.slice('path:'.length)), days: kept });
    else throw retentionRuleError(word);
  }
  return { days, ...(folders.length > 0 && { folders }) };
}

/** Parses `30d`, or `none` as null; undefined if it is neither. */
export function readDays(text: string): number | null | undefined {
  if (text === 'none') return null;
  const days = Number(/^(\d{1,5})d?$/.exec(text)?.[1] ?? 0);
  return days < 1 || days > limits.retentionDaysMax ? undefined : days;
}

function readFolder(word: string, text: string): string {
  const folder = parseFolderPath(text);
  if (folder === '') throw retentionRuleError(word);
  return folder;
}

function retentionRuleError(word: string): ServiceError {
  return invalidFieldError(
    'retention',
    `"${word}" is no retention rule; write image=30d, audio=none or path:clips/=7d.`,
  );
}
