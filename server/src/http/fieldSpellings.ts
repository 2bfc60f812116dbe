/** The spellings that clients in the field use, each beside the canonical one. Nothing else knows them. */
import type { SdkType } from '../vocabulary.ts';

/** Types of game servers. */
export const sdkTypeSpellings: Readonly<Record<string, SdkType>> = {
  server_a: 'server_a',
  fivem: 'server_a',
  server_b: 'server_b',
  roblox: 'server_b',
};
