/** Computes when a file expires, from its project's retention or the end of the trash. */
import { type MediaType, mediaTypes } from '@tapedeck/client';
import { countThings } from '../../format/numbers.ts';
import type { FileRecord } from '../../queries/fileRecords.ts';
import type { Project } from '../../queries/projects.ts';

const dayMs = 86_400_000;
const soonDays = 7; // users are likely to look in within a week

type Settings = Pick<Project, 'retention' | 'trashDays'>;
type Expiring = Pick<FileRecord, 'type' | 'path' | 'createdAt' | 'retentionExempt' | 'deletedAt'>;

/** Returns Unix milliseconds; null for never. The rule with the longest matching folder wins, then the type's. */
export function findExpiry({ retention, trashDays }: Settings, file: Expiring): number | null {
  const ends = [];
  const days = file.retentionExempt ? null : findDays(retention, file);
  if (days !== null) ends.push(Date.parse(file.createdAt) + days * dayMs);
  if (file.deletedAt !== undefined && trashDays !== null)
    ends.push(Date.parse(file.deletedAt) + trashDays * dayMs);
  return ends.length === 0 ? null : Math.min(...ends);
}

function findDays(retention: Settings['retention'], { type, path }: Expiring): number | null {
  const rules = retention.folders.filter(rule => path === rule.path || path.startsWith(`${rule.path}/`));
  const [nearest] = rules.toSorted((one, other) => other.path.length - one.path.length);
  if (nearest !== undefined) return nearest.days;
  const known: MediaType | undefined = mediaTypes.find(each => each === type);
  return known === undefined ? null : retention[known];
}

export function isExpiringSoon(end: number, now: number): boolean {
  return end - now <= soonDays * dayMs;
}

/** `Expires in 3 days`; null if later than a week. Files in the trash always say it. */
export function describeExpiry(settings: Settings, file: Expiring, now: number): string | null {
  const end = findExpiry(settings, file);
  if (end === null) return null;
  const days = Math.ceil((end - now) / dayMs);
  if (file.deletedAt === undefined && days > soonDays) return null;
  const verb = file.deletedAt === undefined ? 'Expires' : 'Deleted forever';
  return days <= 0 ? `${verb} today` : `${verb} in ${countThings(days, 'day')}`;
}
