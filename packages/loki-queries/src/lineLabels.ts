/** Presents entries as LogQL lines with stream labels and metadata. */

import type { LogEntry } from '@tapedeck/log-entries';
import { duplicateSuffix, type Label, type Line, sanitizeName } from '@tapedeck/logql';

/** Loki's name for entries without a resource. */
export const unknownService = 'unknown_service';

/** Labels of every stream. */
export const streamLabels = ['service_name', 'level', 'dataset'] as const;

const streamNames: ReadonlySet<string> = new Set(streamLabels); // looked up for each path of each line

/** The store's fields for `streamLabels`, in the same order. */
export const streamFields = [[{ kind: 'resource' }], [{ kind: 'level' }], [{ kind: 'dataset' }]] as const;

/** The level among the metadata of every line, as Loki has it. */
export const levelLabel = 'detected_level';

/** Other programs' names for resources and levels, which also work as labels (CONTRACT.md, 16.1). */
export const aliases: ReadonlyMap<string, string> = new Map([
  ...['app', 'job', 'resource'].map(name => [name, 'service_name'] as const),
  ...['severity', levelLabel].map(name => [name, 'level'] as const),
]);

type Metadata = Readonly<Record<string, string>>;

/** Names a metadata path as a label. As in Loki, names of stream labels get a suffix. */
export function nameMetadata(path: string): string {
  const name = sanitizeName(path);
  return streamNames.has(name) ? `${name}${duplicateSuffix}` : name;
}

/** Returns the stream label whose name the metadata label avoids; null for all other labels. */
export function findAvoided(label: string): string | null {
  if (!label.endsWith(duplicateSuffix)) return null;
  const name = label.slice(0, -duplicateSuffix.length);
  return streamNames.has(name) ? name : null;
}

type LineSource = Pick<LogEntry, 'timestampMicros' | 'body' | 'resource' | 'level' | 'dataset' | 'metadata'>;

/**
 * Packs entries for another thread into one text: copying objects one by one takes six times as long. `streamEntryTexts` of the store
 * writes the same format.
 */
export function packEntries(entries: readonly LogEntry[]): string {
  return JSON.stringify(
    entries.map(entry => [
      entry.timestampMicros,
      entry.body,
      entry.resource,
      entry.level,
      entry.dataset,
      entry.metadata,
    ]),
  );
}

export function packTexts(texts: readonly string[]): string {
  return `[${texts.join(',')}]`;
}

export function unpackLines(packed: string): Line[] {
  // `packEntries` writes rows of this type.
  const rows = JSON.parse(packed) as [number, string, string, LogEntry['level'], string, Metadata][];
  return rows.map(([timestampMicros, body, resource, level, dataset, metadata]) =>
    toLine({ timestampMicros, body, resource, level, dataset, metadata }),
  );
}

export function toLine(source: LineSource): Line {
  return new SourceLine(source);
}

/** A class, because an object literal with a getter takes much longer to create. */
class SourceLine implements Line {
  readonly micros: number;
  readonly text: string;
  readonly stream: readonly Label[];
  readonly #level: string;
  readonly #metadata: Metadata;
  #listed: readonly Label[] | null = null;

  constructor({ timestampMicros, body, resource, level, dataset, metadata }: LineSource) {
    this.micros = timestampMicros;
    this.text = body;
    this.stream = [
      ['service_name', resource === '' ? unknownService : resource],
      ['level', level],
      ['dataset', dataset],
    ];
    this.#level = level;
    this.#metadata = metadata;
  }

  /** Lazy, because most queries do not need the metadata of most lines. */
  get metadata(): readonly Label[] {
    this.#listed ??= listMetadata(this.#metadata, this.#level);
    return this.#listed;
  }
}

/** Lists metadata by label name. If several paths have the same spelling, the path equal to the name counts, else the first. */
export function listMetadata(metadata: Metadata, level: string): Label[] {
  const paths = Object.keys(metadata);
  sortPaths(paths);
  const labels: Label[] = [];
  let hasLevel = false;
  for (const path of paths) {
    const name = nameMetadata(path);
    if (name !== path) return listSpelledMetadata(metadata, { paths, level });
    if (name === levelLabel) hasLevel = true;
    labels.push([name, metadata[path] ?? '']);
  }
  if (!hasLevel) labels.push([levelLabel, level]);
  return labels;
}

/** The store mostly returns paths in order already. */
function sortPaths(paths: string[]): void {
  for (let place = 1; place < paths.length; place++)
    if ((paths[place - 1] ?? '') > (paths[place] ?? '')) {
      paths.sort();
      return;
    }
}

function listSpelledMetadata(
  metadata: Metadata,
  { paths, level }: { paths: readonly string[]; level: string },
): Label[] {
  const labels = new Map<string, string>();
  for (const path of paths) {
    const name = nameMetadata(path);
    if (name !== path && labels.has(name)) continue;
    labels.set(name, metadata[path] ?? '');
  }
  if (!labels.has(levelLabel)) labels.set(levelLabel, level);
  return [...labels];
}
