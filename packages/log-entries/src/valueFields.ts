/** Names of the fields whose values can be listed and counted. */
import { resolveField } from '@tapedeck/log-query-language';
import type { LogField } from './questions.ts';

/** Every name but those of other fields is a path of metadata, with or without `metadata.` before it; null: it is another field. */
export function readValueField(name: string): LogField | null {
  const field = resolveField(name);
  switch (name !== '' && field.kind) {
    case 'level':
    case 'resource':
    case 'dataset':
    case 'pattern':
    case 'metadata':
      return field as LogField; // has one of these kinds
    default:
      return null;
  }
}
