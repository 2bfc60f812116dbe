/** The fields that stand in columns of the list, as the address names them; and what an entry says of a field. */
import { resolveField } from '@tapedeck/log-query-language';
import type { LogEntry } from '../../queries/logs.ts';
import { nameMetadata } from './queryFilters.ts';

const columnsMax = 12; // beyond it no screen shows their values

/** Separated by commas; those within a name are written as in addresses. */
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

/** Puts a column where another one stands. */
export function moveColumn(columns: string | undefined, name: string, to: number): string | undefined {
  const names = readColumns(columns);
  if (!names.includes(name)) return columns;
  const others = names.filter(each => each !== name);
  return writeColumns(others.toSpliced(Math.max(0, Math.min(to, others.length)), 0, name));
}

/** undefined where the entry does not have it. */
export function readField(entry: LogEntry, name: string): string | undefined {
  const field = resolveField(name);
  if (field.kind === 'metadata') return entry.metadata[field.path];
  // A column of an entry may be absent where its answer does not say it.
  const own: Partial<Record<typeof field.kind, string>> = entry;
  return own[field.kind] || undefined;
}

/** Lists the entries of the menu for a whole log entry, in reading order. */
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
    return text.trim(); // an address that was cut off
  }
}
