/** Retention as it is typed, and as the API takes it. */
import type { MediaType } from '@tapedeck/client';
import type { Project } from '../../queries/projects.ts';

export type Retention = Project['retention'];

/** `key` tells rules apart while their folders are being typed. */
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

function normalize({ image, video, audio, folders }: Retention) {
  return [image, video, audio, folders.map(({ path, days }) => [path, days])];
}

function writeDays(days: number | null): string {
  return days === null ? '' : String(days);
}

function readDays(typed: string): number | null {
  return typed === '' ? null : Number(typed);
}
