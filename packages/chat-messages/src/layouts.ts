/** Reads the text of messages made of nested components or blocks, line by line. */

import { entryLimits } from '@tapedeck/log-entries';
import { isObject } from '@tapedeck/values/json';

type Layout = { text: string /** from the first part that has one */; color: unknown };

/** Fields in which parts hold texts, parts, or lists of them. The last one is read first. */
const innerNames = ['elements', 'components', 'fields', 'content', 'text'] as const;
/** Interactive controls, which are not part of the text. */
const silentTypes: ReadonlySet<unknown> = new Set(['actions', 'input']);

/** Stops when the entry is full. Nested parts cost no more than others. */
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
