/** Reads the texts of messages that consist of nested components or blocks, line by line. */

import { entryLimits } from '@tapedeck/log-entries';
import { isObject } from '@tapedeck/values/json';

type Layout = { text: string /** Taken from the first part that has one. */; color: unknown };

/** Under these names parts hold texts, others, or lists of them; the last is read first. */
const innerNames = ['elements', 'components', 'fields', 'content', 'text'] as const;
/** Controls of a message, which are no part of its text. */
const silentTypes: ReadonlySet<unknown> = new Set(['actions', 'input']);

/** Stops reading when the entry is full. Nested parts cost no more than others. */
export function readLayout(layout: unknown): Layout {
  const texts: string[] = [];
  let length = 0;
  let color: unknown = null;
  const waiting: unknown[] = [layout];
  while (waiting.length > 0 && length < entryLimits.messageBytesMax) {
    const part = waiting.pop();
    if (typeof part === 'string' && part !== '') {
      texts.push(part);
      length += part.length + 1;
    } else if (Array.isArray(part)) for (let at = part.length - 1; at >= 0; at--) waiting.push(part[at]);
    else if (isObject(part) && !silentTypes.has(part.type)) {
      color ??= part.accent_color;
      for (const name of innerNames) waiting.push(part[name]);
    }
  }
  return { text: texts.join('\n'), color };
}
