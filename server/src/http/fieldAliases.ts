/** Aliases of content types and SDK types that existing clients send, and paths of webhooks that they try. */
import { sdkTypeWords } from '@tapedeck/contract/sdk';
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
