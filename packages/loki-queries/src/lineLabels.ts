/** Presents entries as LogQL sees them: a line with the labels of its stream, and its metadata. */

import type { LogEntry } from '@tapedeck/log-entries';
import { type Label, type Line, sanitizeName } from '@tapedeck/logql';

/** Loki's name for entries without a resource. */
export const unknownService = 'unknown_service';

/** Labels of every stream. */
export const streamLabels = ['service_name', 'level', 'dataset'] as const;

/** The store's fields, in their order. */
export const streamFields = [[{ kind: 'resource' }], [{ kind: 'level' }], [{ kind: 'dataset' }]] as const;

/** Names that other programs use for resources and levels; labels answer to these, too (CONTRACT.md, 16.1). */
export const aliases: ReadonlyMap<string, string> = new Map([
  ...['app', 'job', 'resource'].map(name => [name, 'service_name'] as const),
  ...['severity', 'detected_level'].map(name => [name, 'level'] as const),
]);

type Metadata = Readonly<Record<string, string>>;

type LineSource = Pick<LogEntry, 'timestampMicros' | 'body' | 'resource' | 'level' | 'dataset' | 'metadata'>;

/**
 * For another thread: a text is copied as it is, objects one by one, which takes six times as long. As the store writes them, where it does
 * so by itself (`streamEntryTexts`).
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
  // As packed above.
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
    /** Most queries ask for no metadata of most lines. */
    get metadata() {
      listed ??= listMetadata(metadata, level);
      return listed;
    },
  };
}

/** Lists metadata by name. Among paths with the same spelling, the one equal to the name counts, else the first. */
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
