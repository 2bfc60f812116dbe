/** Presents entries as LogQL lines with stream labels and metadata. */

import type { LogEntry } from '@tapedeck/log-entries';
import { type Label, type Line, sanitizeName } from '@tapedeck/logql';

/** Loki's name for entries without a resource. */
export const unknownService = 'unknown_service';

/** Labels of every stream. */
export const streamLabels = ['service_name', 'level', 'dataset'] as const;

/** The store's fields for `streamLabels`, in the same order. */
export const streamFields = [[{ kind: 'resource' }], [{ kind: 'level' }], [{ kind: 'dataset' }]] as const;

/** Other programs' names for resources and levels, which also work as labels (CONTRACT.md, 16.1). */
export const aliases: ReadonlyMap<string, string> = new Map([
  ...['app', 'job', 'resource'].map(name => [name, 'service_name'] as const),
  ...['severity', 'detected_level'].map(name => [name, 'level'] as const),
]);

type Metadata = Readonly<Record<string, string>>;

type LineSource = Pick<LogEntry, 'timestampMicros' | 'body' | 'resource' | 'level' | 'dataset' | 'metadata'>;

/**
 * Packs entries for another thread into one text: copying objects one by one takes six times as long. `streamEntryTexts` of the store
 * writes the same format.
 */
export function packEntries(entries: readonly LogEntry[]): string {
  return JSON.stringify(
    entries.map(entry => [
      ...[entry.timestampMicros, entry.body, entry.resource, entry.level, entry.dataset],
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

export function toLine({ timestampMicros, body, resource, level, dataset, metadata }: LineSource): Line {
  let listed: readonly Label[] | null = null;
  return {
    micros: timestampMicros,
    text: body,
    stream: [
      ['service_name', resource === '' ? unknownService : resource],
      ['level', level],
      ['dataset', dataset],
    ],
    /** Lazy, because most queries do not need the metadata of most lines. */
    get metadata() {
      listed ??= listMetadata(metadata, level);
      return listed;
    },
  };
}

/** Lists metadata by label name. If several paths have the same spelling, the path equal to the name counts, else the first. */
export function listMetadata(metadata: Metadata, level: string): Label[] {
  const labels = new Map<string, string>();
  const paths = Object.keys(metadata);
  if (paths.length > 1) paths.sort();
  for (const path of paths) {
    const name = sanitizeName(path);
    if (name !== path && labels.has(name)) continue;
    labels.set(name, metadata[path] ?? '');
  }
  if (!labels.has('detected_level')) labels.set('detected_level', level);
  return [...labels];
}
