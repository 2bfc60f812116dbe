/** Aliases of content types and SDK types that existing clients send, and webhook paths that they try. */
import { sdkTypeWords } from '@tapedeck/contract/sdk';
import type { SdkType } from '@tapedeck/domain/vocabulary';

/** Returns whether a path is one of the chat platform's webhook paths, even without such a route. */
export function isWebhookPath(url: string): boolean {
  return /^\/api\/(?:v\d+\/)?webhooks\//.test(url);
}

/** Features of the platform's webhooks that this service lacks, with the reason. */
const missingBelowWebhooks: readonly [RegExp, string][] = [
  [
    /\/messages\/[^/]+$/,
    'A message is stored as log entries, which cannot be changed or deleted one by one; send another message instead.',
  ],
  [
    /\/github$/,
    'Messages in the format of GitHub are not supported here; send a chat payload to the address without /github. Entries cannot be changed later.',
  ],
];

/** Explains a missing path to senders for the chat platform; null for any other path. */
export function explainMissing(path: string): string | null {
  if (!isWebhookPath(path)) return null;
  return missingBelowWebhooks.find(([pattern]) => pattern.test(path))?.[1] ?? null;
}

/** Content types that tools send by default for text. */
const carelessTypes: ReadonlySet<string> = new Set([
  '',
  'text/plain',
  'application/octet-stream',
  'application/x-www-form-urlencoded',
]);

/** Returns whether to read a body of the declared type as JSON. */
export function mayBeJson(type: string): boolean {
  return type === 'application/json' || carelessTypes.has(type) || type.endsWith('+json');
}

const sdkTypeSpellings: Readonly<Record<(typeof sdkTypeWords)[number], SdkType>> = {
  server_a: 'server_a',
  fivem: 'server_a',
  server_b: 'server_b',
  roblox: 'server_b',
};

/** Returns null if the word, in any letter case, is no game server type. */
export function readSdkType(word: string): SdkType | null {
  const known = sdkTypeWords.find(each => each === word.toLowerCase());
  return known === undefined ? null : sdkTypeSpellings[known];
}
