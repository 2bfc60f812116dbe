/** Finds tokens where clients of other programs put them. */
import type { FastifyRequest } from 'fastify';

const keyHeaders = ['dd-api-key', 'x-api-key'];
const keyParameters = ['dd-api-key', 'token', 'sentry_key'];

/** null when none of these ways is used. */
export function readAlias({ headers, url }: Pick<FastifyRequest, 'headers' | 'url'>): string | null {
  const [, word = '', rest = ''] =
    /^\s*(basic|splunk|apikey|token)\s+(\S+)\s*$/i.exec(headers.authorization ?? '') ?? [];
  if (/^basic$/i.test(word)) return readPassword(rest);
  if (/^apikey$/i.test(word)) return readPair(rest)?.[1] ?? rest;
  if (rest !== '') return rest;
  for (const name of keyHeaders) if (headers[name]) return String(headers[name]);
  const [, sentryKey] = /\bsentry_key=([^\s,]+)/.exec(String(headers['x-sentry-auth'] ?? '')) ?? [];
  if (sentryKey !== undefined) return sentryKey;
  const question = url.indexOf('?');
  if (question === -1) return null;
  const parameters = new URLSearchParams(url.slice(question));
  return keyParameters.map(name => parameters.get(name)).find(Boolean) ?? null;
}

/** Some clients have a name alone: then it is the token. */
function readPassword(encoded: string): string {
  const [name, password] = readPair(encoded) ?? ['', ''];
  return password || name;
}

/** null when it is no text with a colon in base64. */
function readPair(encoded: string): [name: string, value: string] | null {
  const bytes = Buffer.from(encoded, 'base64');
  // Some clients leave the padding out; anything else that no encoder writes is refused.
  const spelled = bytes.toString('base64');
  if (encoded !== spelled && encoded !== spelled.replace(/=+$/, '')) return null;
  const text = bytes.toString('latin1');
  const colon = text.indexOf(':');
  return colon === -1 || /[^\x20-\x7e]/.test(text) ? null : [text.slice(0, colon), text.slice(colon + 1)];
}
