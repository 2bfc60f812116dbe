/** Reads the environment once and turns it into consistent choices. Nothing else reads process.env. */
import path from 'node:path';
import { limits, patterns } from '@tapedeck/domain/vocabulary';
import { readTraceSettings, type TraceSettings } from '@tapedeck/tracing';
import {
  readAddress,
  readByteSize,
  readFlag,
  readNumber,
  readPort,
  readPublicUrl,
  readSubnets,
  readToken,
  SettingError,
} from '@tapedeck/values/settings';
import type { Subnet } from '@tapedeck/web/client-addresses';
import { type ListenerChoices, readListeners } from './settings/listeners.ts';
import { type MailChoice, readMail } from './settings/mail.ts';
import { maskSecret } from './settings/masking.ts';
import { type ProviderSettings, readProvider } from './settings/provider.ts';
import { type BucketChoice, readJournal, readStores, type StoreChoices } from './settings/stores.ts';
import { openValues, readWithin, wrong } from './settings/values.ts';
import { findDefault, nameSetting, type Setting, type SettingName, settings } from './settings.ts';

export type Config = StoreChoices & {
  host: string;
  port: number;
  /** null: `http://localhost:<port listened on>`. */
  publicUrl: string | null;
  /** The proxies whose statements about client addresses are trusted. */
  trustedProxies: readonly Subnet[];
  dataDir: string;
  /** null: generated once and kept in the data directory. */
  secret: string | null;
  /** The journal of acknowledged entries: a bucket shared by all nodes; null: each node's own disk. */
  journal: BucketChoice | null;
  fixedTokens: { media: string | null; logs: string | null };
  listeners: ListenerChoices;
  firstOwner: { email: string; password: string } | null;
  fileSizeBytesMax: number;
  /** Per token; null: no limit. */
  requestsPerMinuteMax: number | null;
  lenientLevels: boolean;
  /** An SDK session ends after this long without a report or refresh. */
  sdkSessionMs: number;
  slowQueryMs: number;
  /** Whether notifications may be sent to private addresses. */
  outgoingPrivate: boolean;
  /** The outgoing mail server; null: no mail is sent. */
  mail: MailChoice | null;
  /** The sign-in provider; null: there is none. */
  provider: ProviderSettings | null;
  /** Whether plain requests are answered before Node.js's HTTP server. */
  fastHttp: boolean;
  /** Read from OpenTelemetry's variables; null: no traces. */
  traces: TraceSettings | null;
  /** The service that `tapedeck logs` queries, and its token; null: the service on this machine. */
  remote: { url: string | null; token: string | null };
};

/** A setting and where its value comes from, for `tapedeck config`. */
export type ShownSetting = {
  name: string;
  value: string;
  source: 'environment' | 'service' | 'default';
  default: string;
  about: string;
};

export type Environment = Readonly<Record<string, string | undefined>>;

export const processEnvironment: Environment = process.env;

export function readConfig(environment: Environment): Config {
  const values = openValues(environment);
  const { given, read, readGiven } = values;
  const publicUrl = readGiven('PUBLIC_URL', readPublicUrl);
  const dataDir = path.resolve(given('DATA_DIR') ?? findDefault('DATA_DIR'));
  const stores = readStores(values, dataDir);
  const config: Config = {
    host: read('HOST', readAddress),
    port: read('PORT', readPort),
    publicUrl,
    trustedProxies: read('TRUSTED_PROXIES', readSubnets),
    dataDir,
    secret: readGiven('SECRET', readSecret),
    ...stores,
    journal: readGiven('JOURNAL', (name, value) => readJournal(name, value, stores)),
    fixedTokens: {
      media: readGiven('MEDIA_TOKEN', readFixedToken),
      logs: readGiven('LOGS_TOKEN', readFixedToken),
    },
    listeners: readListeners(values, readFixedToken),
    firstOwner: readFirstOwner(given('ADMIN_EMAIL'), given('ADMIN_PASSWORD')),
    fileSizeBytesMax: read('FILE_SIZE_MAX', readByteSize),
    requestsPerMinuteMax: readGiven('RATE_LIMIT', readRate),
    lenientLevels: read('LENIENT_LEVELS', readFlag),
    sdkSessionMs: 1000 * read('SDK_SESSION_SECONDS', readWithin(1, 31_536_000)),
    slowQueryMs: 1000 * read('SLOW_QUERY_SECONDS', readWithin(0, 30)),
    outgoingPrivate: read('OUTGOING_PRIVATE', readFlag),
    mail: readMail({ url: given('SMTP_URL'), from: given('SMTP_FROM'), publicUrl }),
    provider: readProvider(values),
    fastHttp: read('FAST_HTTP', readFlag),
    traces: readTraceSettings(environment),
    remote: { url: readGiven('URL', readPublicUrl), token: readGiven('TOKEN', readFixedToken) },
  };
  if (config.fixedTokens.media !== null && config.fixedTokens.media === config.fixedTokens.logs)
    throw wrong('LOGS_TOKEN', 'must differ from TAPEDECK_MEDIA_TOKEN: a token is of one kind');
  return config;
}

/**
 * Lists every setting with its value and masks secrets. Values missing from `own` come from the running service. Throws if a value does not parse.
 */
export function showSettings(environment: Environment, own = environment): ShownSetting[] {
  readConfig(environment);
  const values = openValues(environment);
  const ownValues = openValues(own);
  return settings.map(setting => {
    const given = values.given(setting.name);
    const source = ownValues.given(setting.name) === undefined ? 'service' : 'environment';
    return {
      name: nameSetting(setting.name),
      value: given === undefined ? setting.default : maskSecret(setting, given),
      source: given === undefined ? 'default' : source,
      default: setting.default,
      about: setting.about,
    };
  });
}

/** Lists the given settings with their values, but secret ones by name only. */
export function listGivenSettings(environment: Environment): {
  settings: Record<string, string>;
  secrets: string[];
} {
  const { given } = openValues(environment);
  const found = settings.flatMap((setting: Setting & { name: SettingName }) => {
    const value = given(setting.name);
    if (value === undefined) return [];
    return [{ name: nameSetting(setting.name), value, isSecret: maskSecret(setting, value) !== value }];
  });
  return {
    settings: Object.fromEntries(
      found.filter(({ isSecret }) => !isSecret).map(({ name, value }) => [name, value]),
    ),
    secrets: found.filter(({ isSecret }) => isSecret).map(({ name }) => name),
  };
}

/** Finds names that look like settings but are not. Otherwise misspelt settings would be ignored silently. */
export function findUnknownSettings(environment: Environment): string[] {
  const known = new Set(settings.map<string>(({ name }) => nameSetting(name)));
  return Object.keys(environment).filter(name => name.startsWith('TAPEDECK_') && !known.has(name));
}

function readSecret(name: string, value: string | undefined): string | null {
  if (value !== undefined && value.length < limits.tokenCharactersMin)
    throw new SettingError(name, `must be at least ${limits.tokenCharactersMin} characters long`);
  return value ?? null;
}

/** Requires an unguessable length. */
function readFixedToken(name: string, value: string | undefined): string | null {
  return readToken(name, value, { min: limits.tokenCharactersMin, max: limits.tokenCharactersMax });
}

function readRate(name: string, value: string | undefined): number | null {
  return readNumber(name, value, { min: 1, max: 1_000_000_000 });
}

function readFirstOwner(email: string | undefined, password: string | undefined): Config['firstOwner'] {
  if (email === undefined && password === undefined) return null;
  if (email === undefined) throw wrong('ADMIN_EMAIL', 'is required with TAPEDECK_ADMIN_PASSWORD');
  if (password === undefined) throw wrong('ADMIN_PASSWORD', 'is required with TAPEDECK_ADMIN_EMAIL');
  if (!new RegExp(patterns.email).test(email)) throw wrong('ADMIN_EMAIL', 'must be an email address');
  if (password.length < limits.passwordCharactersMin) {
    throw wrong('ADMIN_PASSWORD', `must be at least ${limits.passwordCharactersMin} characters long`);
  }
  return { email, password };
}
