/** Paths, content types, SDK types, levels and the dataset's header, as clients in the field spell them otherwise. */
import type { IncomingHttpHeaders } from 'node:http';
import Type, { type TProperties } from 'typebox';
import type { Route } from '../contract/route.ts';
import { sdkTypeWords } from '../contract/sdk.ts';
import { type LogLevel, logLevels, type SdkType } from '../vocabulary.ts';
import type { HandledRoute } from './registry.ts';
import type { Room } from './rooms.ts';

type PathSpelling = { spelled: string; means: string; name: string; params?: TProperties };

const versionParams = { version: Type.String({ pattern: '^\\d+$' }) };

/** Other paths of routes. Each becomes a route of its own, so that the canonical one takes no longer. */
const pathSpellings: readonly PathSpelling[] = [
  { spelled: '/api/v3/logs/discord', means: '/api/v3/logs/chat', name: 'discord' },
  {
    spelled: '/api/v{version}/webhooks/{webhook}/{token}',
    means: '/api/webhooks/{webhook}/{token}',
    name: 'versioned',
    params: versionParams,
  },
  {
    spelled: '/api/webhooks/{webhook}/{token}/slack',
    means: '/api/webhooks/{webhook}/{token}/attachments',
    name: 'slack',
  },
  {
    spelled: '/api/v{version}/webhooks/{webhook}/{token}/slack',
    means: '/api/webhooks/{webhook}/{token}/attachments',
    name: 'slack_versioned',
    params: versionParams,
  },
];

/** Whether a path lies where the chat platform has its webhooks, be there such a route or not. */
export function isWebhookPath(url: string): boolean {
  return /^\/api\/(?:v\d+\/)?webhooks\//.test(url);
}

/** What the platform has below a webhook and this service has not, and why. */
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

const levelSpellings: Readonly<Record<LogLevel, readonly string[]>> = {
  error: ['err', 'fatal', 'critical', 'crit', 'alert', 'emerg', 'emergency', 'panic'],
  warn: ['warning'],
  info: ['notice', 'log', 'success'],
  debug: ['trace', 'verbose', 'silly', 'http', 'finest', 'finer', 'fine'],
};

/** Levels beside the four, in lower case. */
export const levelSynonyms: ReadonlyMap<string, LogLevel> = new Map(
  logLevels.flatMap(level => levelSpellings[level].map(word => [word, level] as const)),
);

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

/** The room with its routes' other paths beside them. */
export function spellAsInTheField({ routes, handle }: Room): Room {
  return {
    routes: routes.flatMap(route => [route, ...respellRoute(route)]),
    handle: deps => handle(deps).flatMap(handled => [handled, ...respellHandled(handled)]),
  };
}

function respellRoute(route: Route): Route[] {
  return pathSpellings
    .filter(({ means }) => means === route.path)
    .map(({ spelled, name, params }) => ({
      ...route,
      id: `${route.id}_${name}`,
      path: spelled,
      ...(params && { params: Type.Object({ ...params, ...route.params?.properties }) }),
    }));
}

function respellHandled({ route, answer }: HandledRoute): HandledRoute[] {
  return respellRoute(route).map(spelled => ({ route: spelled, answer }));
}
