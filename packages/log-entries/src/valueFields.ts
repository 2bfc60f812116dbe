/** Reads names of the fields whose values can be listed and counted. */
import { resolveField } from '@tapedeck/log-query-language';
import type { LogField } from './queryTypes.ts';

/** Reads a field name, or a metadata path with or without `metadata.`. Returns null for fields without listed values. */
export function readValueField(name: string): LogField | null {
  const field = resolveField(name);
  switch (name !== '' && field.kind) {
    case 'level':
    case 'resource':
    case 'dataset':
    case 'pattern':
    case 'metadata':
      return field as LogField; // the cases above leave these kinds
    default:
      return null;
  }
}
