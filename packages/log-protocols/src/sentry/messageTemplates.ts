/** Composes messages that Sentry's SDKs send as a template with parameters. Most also send the composed message; those for JavaScript do not. */
import { isObject } from '@tapedeck/values/json';
import { describeValue } from '../reading/bodySplitting.ts';

/** `%s` and its kind, `%(name)s`, `{}`, `{0}` and `{name}`. */
const placeholder = /%%|%(?:\((\w+)\))?[sdifgrxXoc]|\{(\w*)\}/g;
const insertedCharactersMax = 65_536; // more than a body holds

/** Inserts parameters: a list by place, an object by name. Placeholders without a parameter stay. */
export function composeMessage(template: string, params: unknown): string {
  if (!Array.isArray(params) && !isObject(params)) return template;
  const named: Readonly<Record<string, unknown>> = { ...params };
  let next = 0;
  let inserted = 0;
  return template.replaceAll(placeholder, (all, percentName?: string, braceName?: string) => {
    if (all === '%%') return '%';
    const ownName = percentName || braceName || '';
    const name = ownName || String(next);
    if (inserted > insertedCharactersMax || !Object.hasOwn(named, name)) return all;
    if (ownName === '') next++;
    const text = describeValue(named[name]);
    inserted += text.length;
    return text;
  });
}
