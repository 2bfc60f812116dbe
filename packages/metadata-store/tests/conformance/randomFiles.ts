/** Random files and queries about them, reproducible for a seed, and a reference that answers the queries one file at a time. */

import type { FileChanges, FileSort, StoredFile } from '@tapedeck/domain/ports/files';
import {
  compileFileQuery,
  type FileFieldName,
  type FileQuery,
  fileFieldNames,
  type QueriedFile,
} from '@tapedeck/log-query-language';

export type Chance = {
  below(limit: number): number;
  pick<T>(list: readonly T[]): T;
};

/** Mulberry32. */
export function makeChance(seed: number): Chance {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    below,
    pick: list => {
      const chosen = list[below(list.length)];
      if (chosen === undefined) throw new Error('There is nothing to choose from.');
      return chosen;
    },
  };
}

const words = [
  'crash',
  'Crash',
  'CLIP',
  'clip',
  'Ünder',
  'ünder',
  'a',
  '43',
  '430',
  '4.5',
  '日本',
  '😀',
  'x y',
  '1e3',
];
const folders = ['', 'clips', 'clips/old', 'Clips', 'clips-old', 'players/43', 'ünder/日本'];
/** Few sizes, so that many files share one. */
const sizes = [0, 1000, 2000, 4000, 5_000_000, 5_000_001, 6_000_000_000];
const types = [
  ['image', 'image/png'],
  ['image', 'image/webp'],
  ['video', 'video/mp4'],
  ['audio', 'audio/mpeg'],
] as const;

function makeName(chance: Chance): string {
  return `${chance.pick(words)}${chance.pick(['', '-', ' ', '*', '\\', '%'])}${chance.pick(words)}.${chance.pick(['png', 'MP4'])}`;
}

function makeMetadata(chance: Chance): Record<string, unknown> {
  const metadata: Record<string, unknown> = {};
  if (chance.below(2) === 0) metadata.player = { id: chance.below(50), name: chance.pick(words) };
  if (chance.below(3) === 0) metadata['player.id'] = chance.pick([43, '43', 'x']);
  if (chance.below(3) === 0) metadata.tags = [chance.pick(words), chance.pick(words)];
  if (chance.below(4) === 0) metadata.size = chance.pick(['big', 7, null, true, '']);
  return metadata;
}

export function makeFiles(chance: Chance, count: number): Partial<StoredFile>[] {
  return Array.from({ length: count }, (_, index) => {
    const [type, mimeType] = chance.pick(types);
    const id = `randomfile${String(index).padStart(10, '0')}`;
    const path = chance.pick(folders);
    const isSized = type !== 'audio';
    return {
      id,
      type,
      mimeType,
      path,
      key: `${path === '' ? '' : `${path}/`}${id}.bin`,
      filename: makeName(chance),
      sizeBytes: chance.pick(sizes),
      metadata: makeMetadata(chance),
      retentionExempt: chance.below(4) === 0,
      width: isSized ? chance.pick([640, 1280]) : null,
      height: isSized ? chance.pick([480, 720]) : null,
      durationSeconds: type === 'image' ? null : chance.pick([0.5, 4.5, 430, null]),
      createdAt: 1_700_000_000_000 + index,
    };
  });
}

export function makeChanges(chance: Chance, file: StoredFile): FileChanges {
  return {
    filename: chance.below(2) === 0 ? makeName(chance) : file.filename,
    path: chance.pick(folders),
    metadata: chance.below(2) === 0 ? makeMetadata(chance) : file.metadata,
    retentionExempt: file.retentionExempt,
    visibility: chance.pick(['public', 'private', null]),
  };
}

/** Makes valid queries with every kind of term. */
export function makeQuestion(chance: Chance, files: readonly StoredFile[]): string {
  const terms = Array.from({ length: 1 + chance.below(3) }, () => makeTerm(chance, files, 2));
  return terms.join(chance.pick([' ', ' OR ', ' AND ']));
}

function makeTerm(chance: Chance, files: readonly StoredFile[], depth: number): string {
  if (depth > 0 && chance.below(6) === 0) {
    const inner = [makeTerm(chance, files, depth - 1), makeTerm(chance, files, depth - 1)];
    return `${chance.pick(['', '-'])}(${inner.join(chance.pick([' ', ' OR ']))})`;
  }
  const negation = chance.pick(['', '', '-', 'NOT ']);
  const kind = chance.below(5);
  if (kind === 0) return negation + chance.pick([...words.map(quote), 'cra*h', '*CLIP*', 'a*4', '*']);
  if (kind === 1) return negation + quote(chance.pick(files)[chance.pick(['id', 'key'] as const)]);
  const field = chance.pick<string>([
    ...fileFieldNames,
    'player.id',
    'player.name',
    'tags.1',
    'metadata.size',
    'none',
  ]);
  if (kind === 2)
    return `${negation}${field}:${chance.pick(['>', '>=', '<', '<='])}${chance.pick([0, 1000, 4.5, 43, 640, 5_000_000, 6e9])}`;
  const values = [makeValue(chance, files, field), makeValue(chance, files, field)];
  return `${negation}${field}:${kind === 3 ? values[0] : `(${values.join(',')})`}`;
}

function makeValue(chance: Chance, files: readonly StoredFile[], field: string): string {
  const wild = ['*', 'c*', '*CLIP*', '*.png', '4*', '*3', 'clips*', 'CLIPS/*', '*r?nd*', 'image*', '*file*'];
  if (chance.below(3) === 0) return chance.pick(wild);
  if (chance.below(4) === 0) return '""';
  const queried = describeQueried(chance.pick(files));
  const name = fileFieldNames.find(known => known === field);
  if (name !== undefined && chance.below(3) > 0) return quote(queried[name]);
  return quote(chance.pick([...words, ...folders, '1000', '640', '4.5', 'true', 'image', 'null']));
}

function quote(text: string): string {
  return `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
}

/** Converts the file to the form that the single-file matcher takes. */
function describeQueried(file: StoredFile): QueriedFile {
  const texts: Record<FileFieldName, string> = {
    name: file.filename,
    path: file.path,
    type: file.type,
    mimeType: file.mimeType,
    size: String(file.sizeBytes),
    width: String(file.width ?? ''),
    height: String(file.height ?? ''),
    duration: String(file.durationSeconds ?? ''),
    id: file.id,
    key: file.key,
    exempt: String(file.retentionExempt),
  };
  const metadata = new Map<string, string[]>();
  const visit = (path: string, value: unknown): void => {
    if (typeof value === 'object' && value !== null) {
      for (const [key, inner] of Object.entries(value)) visit(path === '' ? key : `${path}.${key}`, inner);
    } else metadata.set(path, [...(metadata.get(path) ?? []), String(value)]);
  };
  visit('', file.metadata);
  return { ...texts, metadata };
}

/** Returns matching ids in the requested order. `files` are in upload order. */
export function answerByHand(
  files: readonly StoredFile[],
  query: FileQuery,
  { by, order }: FileSort,
): string[] {
  const isMeant = compileFileQuery(query);
  const sign = order === 'asc' ? 1 : -1;
  const valued = files
    .filter(file => isMeant(describeQueried(file)))
    .map((file, position) => ({ file, position, value: readValue(file, by) }));
  valued.sort((one, other) => {
    if (one.value === null || other.value === null) {
      if (one.value !== other.value) return one.value === null ? 1 : -1;
    } else if (one.value !== other.value) return sign * compareValues(one.value, other.value);
    return sign * (one.position - other.position);
  });
  return valued.map(({ file }) => file.id);
}

function readValue(file: StoredFile, by: FileSort['by']): string | number | null {
  if (by === 'createdAt') return null;
  if (by === 'size') return file.sizeBytes;
  return by === 'duration' ? file.durationSeconds : file.filename.toLowerCase();
}

/** Compares texts by code point, as UTF-8 bytes compare. */
function compareValues(one: string | number, other: string | number): number {
  if (typeof one === 'number' || typeof other === 'number') return Number(one) - Number(other);
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}
