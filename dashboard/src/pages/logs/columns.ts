/** The list's columns: reads and writes them in the address, and reads an entry's fields. */
import { resolveField } from '@tapedeck/log-query-language';
import type { LogEntry } from '../../queries/logs.ts';
import { nameMetadata } from './queryFilters.ts';

const columnsMax = 12; // no screen has room for the values of more

/** Reads comma-separated names; commas within a name are percent-encoded. */
export function readColumns(columns: string | undefined): readonly string[] {
  const names = (columns ?? '').split(',').map(decodeName);
  return [...new Set(names)].filter(name => name !== '').slice(0, columnsMax);
}

export function writeColumns(names: readonly string[]): string | undefined {
  return names.map(name => name.replaceAll('%', '%25').replaceAll(',', '%2C')).join(',') || undefined;
}

export function toggleColumn(columns: string | undefined, name: string): string | undefined {
  const names = readColumns(columns);
  return writeColumns(names.includes(name) ? names.filter(each => each !== name) : [...names, name]);
}

/** Moves a column to another one's place. */
export function moveColumn(columns: string | undefined, name: string, to: number): string | undefined {
  const names = readColumns(columns);
  if (!names.includes(name)) return columns;
  const others = names.filter(each => each !== name);
  return writeColumns(others.toSpliced(Math.max(0, Math.min(to, others.length)), 0, name));
}

/** undefined if the entry lacks the field. */
export function readField(entry: LogEntry, name: string): string | undefined {
  const field = resolveField(name);
  if (field.kind === 'metadata') return entry.metadata[field.path];
  // A column may be absent, because answers omit empty ones.
  const own: Partial<Record<typeof field.kind, string>> = entry;
  return own[field.kind] || undefined;
}

/** Lists a log entry's fields for its menu, in reading order. */
export function listEntryFields(entry: LogEntry): { name: string; value: string }[] {
  const own = ['level', 'dataset', 'resource'].map(name => ({ name, value: readField(entry, name) }));
  const paths = Object.entries(entry.metadata).filter(([path]) => path !== '');
  return [
    ...own.flatMap(({ name, value }) => (value === undefined ? [] : [{ name, value }])),
    ...paths.map(([path, value]) => ({ name: nameMetadata(path), value })),
  ];
}

function decodeName(text: string): string {
  try {
    return decodeURIComponent(text).trim();
  } catch {
    return text.trim(); // the address was cut off
  }
}
