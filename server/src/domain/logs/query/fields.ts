/** The fields whose values can be counted. */
import { ServiceError } from '../../../vocabulary.ts';
import type { LogField } from '../../ports/logQueries.ts';

export function readField(text: string | undefined): LogField {
  if (text === 'level' || text === 'resource') return { kind: text };
  if (text?.startsWith('metadata.')) return { kind: 'metadata', path: text.slice('metadata.'.length) };
  throw new ServiceError('invalid_field', 'field must be level, resource, or metadata. and a path.');
}
