/** The spellings that clients in the field use, each beside the canonical one. Nothing else knows them. */
import type { IncomingHttpHeaders } from 'node:http';
import type { SdkType } from '../vocabulary.ts';

/** Types of game servers. */
export const sdkTypeSpellings: Readonly<Record<string, SdkType>> = {
  server_a: 'server_a',
  fivem: 'server_a',
  server_b: 'server_b',
  roblox: 'server_b',
};

/** The header that names the dataset; clients write the brand of their service for the middle word. */
const datasetHeader = 'x-service-dataset';
const datasetHeaderSpelling = /^x-[a-z0-9]+-dataset$/;

export function readDatasetHeader(headers: IncomingHttpHeaders): string | undefined {
  const canonical = headers[datasetHeader];
  if (canonical !== undefined) return String(canonical);
  for (const name in headers) {
    if (name.endsWith('-dataset') && datasetHeaderSpelling.test(name)) return String(headers[name]);
  }
  return undefined;
}
