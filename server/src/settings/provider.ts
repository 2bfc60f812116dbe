/** Reads the settings of the OpenID provider. */
import { readUrl, SettingError } from '@tapedeck/values/settings';
import { nameSetting, type SettingName } from '../settings.ts';

export type ProviderSettings = {
  issuer: string;
  clientId: string;
  /** null: a public client. */
  clientSecret: string | null;
  name: string;
  scopes: string;
  newcomers: 'none' | 'any' | readonly string[];
};

type Values = {
  given(name: SettingName): string | undefined;
  read<Value>(name: SettingName, reader: (name: string, value: string) => Value): Value;
};

export function readProvider({ given, read }: Values): ProviderSettings | null {
  const issuer = readUrl(nameSetting('OIDC_ISSUER'), given('OIDC_ISSUER'), ['http:', 'https:']);
  const clientId = given('OIDC_CLIENT_ID');
  if (issuer === null) {
    if (clientId !== undefined) throw wrong('OIDC_CLIENT_ID', 'needs TAPEDECK_OIDC_ISSUER beside it');
    return null;
  }
  if (clientId === undefined) throw wrong('OIDC_CLIENT_ID', 'is required with TAPEDECK_OIDC_ISSUER');
  const asIs = (_name: string, value: string) => value;
  const scopes = read('OIDC_SCOPES', asIs);
  if (!scopes.split(/\s+/).includes('openid')) throw wrong('OIDC_SCOPES', 'must hold the scope openid');
  const words = read('OIDC_CREATE', asIs).toLowerCase().split(',');
  const [first = 'none', ...others] = words.map(word => word.trim()).filter(Boolean);
  const isWord = first === 'none' || first === 'any';
  if (isWord && others.length > 0) throw wrong('OIDC_CREATE', 'must be none, any, or domains by commas');
  return {
    issuer,
    clientId,
    clientSecret: given('OIDC_CLIENT_SECRET') ?? null,
    scopes,
    name: read('OIDC_NAME', asIs),
    newcomers: isWord ? first : [first, ...others],
  };
}

function wrong(name: SettingName, remedy: string): SettingError {
  return new SettingError(nameSetting(name), remedy);
}
