/** Runs tables of bodies: the entries of each, and why others are refused. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { levelSynonyms } from '@tapedeck/log-query-language';
import type { SentEntry } from '../src/index.ts';

export const wording = { levels: levelSynonyms };
export const nanos = '1763884800123456789';
export const millis = 1763884800123.456;

/** Omits fields with default values. */
export function brief(entry: SentEntry | undefined): Record<string, unknown> {
  assert.ok(entry);
  const { dataset, level, message, resource, timestamp, metadata } = entry;
  return {
    ...(dataset !== null && { dataset }),
    ...(level !== 'info' && { level }),
    message,
    ...(resource !== '' && { resource }),
    ...(timestamp !== undefined && { timestamp }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
  };
}

export function json(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}

type Row = [title: string, read: () => SentEntry[], entries: Record<string, unknown>[]];

export function testEntries(rows: readonly Row[]): void {
  for (const [title, read, entries] of rows) test(title, () => assert.deepEqual(read().map(brief), entries));
}

type Refusal = [title: string, read: () => unknown, sentence: RegExp];

export function testRefusals(rows: readonly Refusal[]): void {
  for (const [title, read, sentence] of rows)
    test(`refused: ${title}`, () => void assert.throws(read, sentence));
}
