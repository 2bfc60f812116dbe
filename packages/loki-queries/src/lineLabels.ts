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

export function toLine(entry: LogEntry): Line {
  return {
    micros: entry.timestampMicros,
    text: entry.body,
    stream: [
      ['service_name', entry.resource === '' ? unknownService : entry.resource],
      ['level', entry.level],
      ['dataset', entry.dataset],
    ],
    metadata: listMetadata(entry.metadata, entry.level),
  };
}

/** Lists metadata by name. Among paths with the same spelling, the one equal to the name counts, else the first. */
export function listMetadata(metadata: Readonly<Record<string, string>>, level: string): Label[] {
  const labels = new Map<string, string>();
  for (const path of Object.keys(metadata).sort()) {
    const name = sanitizeName(path);
    if (name !== path && labels.has(name)) continue;
    labels.set(name, metadata[path] ?? '');
  }
  if (!labels.has('detected_level')) labels.set('detected_level', level);
  return [...labels];
}
