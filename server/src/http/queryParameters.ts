/** Reads the query string of a URL as it was sent: with repeated keys, and with keys that no schema can name. */
import { parse } from 'node:querystring';

const keysMax = 0; // no limit of its own: `headersBytesMax` bounds the URL

export function readParameters(url: string): Readonly<Record<string, string | string[] | undefined>> {
  const question = url.indexOf('?');
  return question < 0 ? {} : parse(url.slice(question + 1), '&', '=', { maxKeys: keysMax });
}
