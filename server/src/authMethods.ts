/** What people may come in by beside their password. */
import type { Config } from './config.ts';
import { openIdProvider } from './stores/openid/openIdProvider.ts';
import { passkeyChecks } from './stores/passkeys/passkeyChecks.ts';

export function openAuthMethods({ provider }: Config) {
  const providerNewcomers = provider?.newcomers ?? ('none' as const);
  return { provider: provider && openIdProvider(provider), providerNewcomers, passkeyChecks };
}
