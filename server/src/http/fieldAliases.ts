/** Aliases of fields, content types, SDK types, levels and the dataset header that existing clients send. */
import type { IncomingHttpHeaders } from 'node:http';
import { sdkTypeWords } from '../contract/sdk.ts';
import type { SdkType } from '../vocabulary.ts';

/** Whether a path lies where the chat platform has its webhooks, be there such a route or not. */
export function isWebhookPath(url: string): boolean {
  return /^\/api\/(?:v\d+\/)?webhooks\//.test(url);
}

/** Features of the platform's webhooks that are missing here, and why. */
const missingBelowWebhooks: readonly [RegExp, string][] = [
  [
    /\/messages\/[^/]+$/,
    'A message is stored as log entries, which cannot be changed or deleted one by one; send another message instead.',
  ],
  [
    /\/github$/,
    'Messages in the form of GitHub are not read here; send a chat payload to the address without /github. Entries cannot be changed later.',
  ],
];

/** The sentence for a path that senders for the chat platform try; null for any other. */
export function explainMissing(path: string): string | null {
  if (!isWebhookPath(path)) return null;
  return missingBelowWebhooks.find(([pattern]) => pattern.test(path))?.[1] ?? null;
}

/** A base URL that ends in a slash makes paths with two of them, and some libraries end each path in one. */
export function respellUrl(url: string): string {
  if (!url.includes('//') && !url.includes('/?') && !url.endsWith('/')) return url;
  const [path = ''] = url.split('?', 1);
  if (!/^\/+api\//.test(path)) return url;
  return path.replaceAll(/\/{2,}/g, '/').replace(/\/$/, '') + url.slice(path.length);
}

/** An action follows the file's key, whose slashes need no encoding. */
export function respellFileAction(url: string): string {
  return url.replace(fileActionPattern, (_, start: string, key: string, end: string) =>
    [start, key.replaceAll('/', '%2F'), end].join('/'),
  );
}

const fileActionPattern =
  /^(\/api\/(?:v3\/file|manage\/projects\/[^/]+\/files))\/([^?]*\/[^?]*)\/((?:restore|link)(?:\?.*)?)$/;

/** Clients of Elasticsearch look for a cluster at the root, where the dashboard is. */
export function respellRoot(
  url: string,
  { accept = '', 'user-agent': agent = '' }: IncomingHttpHeaders,
): string {
  if (url !== '/' && !url.startsWith('/?')) return url;
  const isClient =
    /elastic|opensearch|logstash|beat\//i.test(agent) || accept.includes('application/vnd.elasticsearch');
  return isClient && !accept.includes('text/html') ? `/elasticsearch${url}` : url;
}

/** Content types that tools send for a text by default. */
const carelessTypes: ReadonlySet<string> = new Set([
  '',
  'text/plain',
  'application/octet-stream',
  'application/x-www-form-urlencoded',
]);

/** Whether a body of the declared type is to be read as JSON. */
export function mayBeJson(type: string): boolean {
  return type === 'application/json' || carelessTypes.has(type) || type.endsWith('+json');
}

const sdkTypeSpellings: Readonly<Record<(typeof sdkTypeWords)[number], SdkType>> = {
  server_a: 'server_a',
  fivem: 'server_a',
  server_b: 'server_b',
  roblox: 'server_b',
};

/** null when the word, in any letter case, names no type of game servers. */
export function readSdkType(word: string): SdkType | null {
  const known = sdkTypeWords.find(each => each === word.toLowerCase());
  return known === undefined ? null : sdkTypeSpellings[known];
}

export { levelSynonyms } from '@tapedeck/log-query-language';

/** The header that names the dataset; clients write the brand of their service for the middle word. */
const datasetHeader = 'x-service-dataset';
const datasetHeaderSpelling = /^x-[a-z0-9_-]+-dataset$/;

export function readDatasetHeader(headers: IncomingHttpHeaders): string | undefined {
  const canonical = headers[datasetHeader];
  if (canonical !== undefined) return String(canonical);
  for (const name in headers) {
    if (name.endsWith('-dataset') && datasetHeaderSpelling.test(name)) return String(headers[name]);
  }
  return undefined;
}
