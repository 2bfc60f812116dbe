/** Lists fields and their values, for completion and the Fields panel. */
import { readValueField } from '@tapedeck/log-entries';
import { nameField } from '@tapedeck/log-query-language';
import type { LogField, LogFilter, ValueCount } from '../../ports/logQueries.ts';
import { invalidFieldError, limits } from '../../vocabulary.ts';
import type { LogSearchDeps } from './searchFilter.ts';

type FieldDeps = Pick<LogSearchDeps, 'logQueries'>;
type FieldUse = { name: string; kind: 'number' | 'text'; entries: number };

/** The prefix is case-sensitive. */
export async function listFields(
  { logQueries }: FieldDeps,
  { filter, prefix = '' }: { filter: LogFilter; prefix?: string | undefined },
  signal: AbortSignal,
): Promise<FieldUse[]> {
  const found = await logQueries.findFields(filter, { prefix, limit: limits.logFieldsMax }, signal);
  return found.map(({ field, kind, entries }) => ({ name: nameField(field), kind, entries }));
}

type ValuesRequest = { filter: LogFilter; field: string; prefix?: string; limit?: number };

/** The prefix is case-insensitive. An empty resource is not a value. */
export async function listValues(
  { logQueries }: FieldDeps,
  { filter, field: name, prefix = '', limit: requestedLimit = limits.logValuesDefault }: ValuesRequest,
  signal: AbortSignal,
): Promise<ValueCount[]> {
  const field = readField('field', name);
  const limit = Math.min(requestedLimit, limits.logValuesMax);
  const found = await logQueries.countValues(filter, { field, prefix, limit: limit + 1 }, signal);
  return found.filter(({ value }) => field.kind !== 'resource' || value !== '').slice(0, limit);
}

export function readField(parameter: string, name: string): LogField {
  const field = readValueField(name);
  if (field !== null) return field;
  throw invalidFieldError(
    parameter,
    `${parameter} must be level, resource, dataset, pattern, or a path of metadata.`,
  );
}
