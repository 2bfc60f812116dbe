/** How conditions are joined, and how single entries are named in them. */
import { composeTraceId, parseTraceId } from '@tapedeck/log-entries';
import { type Binder, bindMicros } from '../writer/engine/binder.ts';

export function joinAny(alternatives: readonly string[]): string {
  return alternatives.length === 1 ? alternatives.join() : `(${alternatives.join(' OR ')})`;
}

/** No conditions at all hold. */
export function joinAll(conditions: readonly string[]): string {
  return conditions.length === 0
    ? '1'
    : conditions.length === 1
      ? conditions.join()
      : `(${conditions.join(' AND ')})`;
}

export function formatEquals(column: string, texts: readonly string[], binder: Binder): string {
  const [only, ...others] = texts;
  return only !== undefined && others.length === 0
    ? `${column} = ${binder.bind('String', only)}`
    : `${column} IN ${binder.bindTexts(texts)}`;
}

/** Holds for no entry. */
export const nowhere = '0';

/** The time in the traceId leads to the place in the key. */
export function formatTraceId(text: string, binder: Binder): string {
  const halves = parseTraceId(text);
  if (halves === null || composeTraceId(halves.timestampMicros, halves.identity) !== text) return nowhere;
  const identity = binder.bind('UInt64', BigInt(`0x${halves.identity}`).toString());
  return `(timestamp = ${bindMicros(halves.timestampMicros, binder)} AND identity = ${identity})`;
}
