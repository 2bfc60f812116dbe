/** Converts retention between the form and the API. */
import { type MediaType, mediaTypes } from '@tapedeck/client';
import type { Project } from '../../queries/projects.ts';

export type Retention = Project['retention'];

/** `key` identifies rules while the user types their folders. */
export type TypedRule = { key: string; path: string; days: string };
export type TypedRetention = { days: Readonly<Record<MediaType, string>>; folders: readonly TypedRule[] };

export function makeRule(path = '', days = ''): TypedRule {
  return { key: String(Math.random()), path, days };
}

export function writeRetention({ image, video, audio, folders }: Retention): TypedRetention {
  return {
    days: { image: writeDays(image), video: writeDays(video), audio: writeDays(audio) },
    folders: folders.map(({ path, days }) => makeRule(path, writeDays(days))),
  };
}

export function readRetention({ days, folders }: TypedRetention): Retention {
  return {
    image: readDays(days.image),
    video: readDays(days.video),
    audio: readDays(days.audio),
    folders: folders.map(rule => ({ path: rule.path.trim(), days: readDays(rule.days) })),
  };
}

export function isSameRetention(one: Retention, other: Retention): boolean {
  return JSON.stringify(normalize(one)) === JSON.stringify(normalize(other));
}

/** Returns the shortest retention among shortened rules; null if none got shorter. */
export function findShortened(before: Retention, after: Retention): number | null {
  const shortened = mediaTypes.flatMap(type => shorterOf(before[type], after[type]));
  for (const { path, days } of after.folders) {
    const rule = before.folders.find(each => each.path === path);
    // A folder without a rule followed its types, which may have had no limit.
    shortened.push(...shorterOf(rule ? rule.days : null, days));
  }
  const removed = before.folders.filter(rule => !after.folders.some(({ path }) => path === rule.path));
  for (const { days } of removed) shortened.push(...mediaTypes.flatMap(type => shorterOf(days, after[type])));
  return shortened.length > 0 ? Math.min(...shortened) : null;
}

function shorterOf(before: number | null, after: number | null): number[] {
  return after !== null && after < (before ?? Number.POSITIVE_INFINITY) ? [after] : [];
}

function normalize({ image, video, audio, folders }: Retention) {
  return [image, video, audio, folders.map(({ path, days }) => [path, days])];
}

function writeDays(days: number | null): string {
  return days === null ? '' : String(days);
}

function readDays(typed: string): number | null {
  return typed === '' ? null : Number(typed);
}
