/**
 * Keeps registrations in the bucket while the database is away. Each note is an object with what the rows of some segments
 * would say. A writer numbers its notes and begins one only when the previous one is known to be kept. So if a reader finds
 * no note under a number, nothing after it was acknowledged.
 */
import { readCreatedAt } from './segmentObject.ts';
import type { NewSegment, NotedSegment } from './segmentRegistry.ts';

export const notesFolder = 'notes/';
const numberDigits = 9;

type NotePlace = { writer: string; number: number };

export function nameNote({ writer, number }: NotePlace): string {
  return `${notesFolder}${writer}/${String(number).padStart(numberDigits, '0')}`;
}

/** Returns null for other names. */
export function parseNoteName(name: string): NotePlace | null {
  const [, writer, digits] = /^notes\/([^/]+)\/(\d{9,})$/.exec(name) ?? [];
  return writer === undefined ? null : { writer, number: Number(digits) };
}

export function encodeNote(segments: readonly NewSegment[]): Buffer {
  return Buffer.from(JSON.stringify({ segments }));
}

/** Throws unless a writer of this or a neighbouring version wrote the bytes. */
export function decodeNote(bytes: Buffer): NotedSegment[] {
  const { segments } = JSON.parse(bytes.toString()) as { segments: NewSegment[] }; // as it was encoded
  return segments.map(composeNotedSegment);
}

/** The entries were acknowledged after the time in the segment's name, so deletions recorded later cover them. */
export function composeNotedSegment({ name, shard, rows, bytes, isSpread }: NewSegment): NotedSegment {
  return { name, shard, rows, bytes, isSpread, registeredAt: Math.floor(readCreatedAt(name)) };
}
