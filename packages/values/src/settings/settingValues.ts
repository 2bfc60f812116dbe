/** Parses the text of a setting, or says in a sentence what is wrong with it. */
import { isIP } from 'node:net';
import { loopback, readSubnet, type Subnet } from '@tapedeck/web/client-addresses';

/** A setting with an invalid value. The message is one sentence that names the setting and the fix. */
export class SettingError extends Error {
  constructor(name: string, remedy: string) {
    super(`${name} ${remedy}.`);
    this.name = 'SettingError';
  }
}

export function readAddress(name: string, value: string): string {
  if (isIP(value) > 0 || /^[A-Za-z0-9]([A-Za-z0-9.-]{0,252})$/.test(value)) return value;
  throw new SettingError(name, 'must be an IP address or a host name, such as 0.0.0.0');
}

/** Reads addresses and subnets separated by commas. `loopback` means this machine's addresses, and `none` an empty list. */
export function readSubnets(name: string, value: string): Subnet[] {
  if (/^none$/i.test(value)) return [];
  return value.split(',').flatMap(part => {
    const text = part.trim();
    if (/^loopback$/i.test(text)) return loopback;
    const net = readSubnet(text);
    if (net !== null) return [net];
    const remedy = 'must hold IP addresses and networks separated by commas, such as 10.0.0.5,192.168.0.0/16';
    throw new SettingError(name, `${remedy}; this is invalid: ${JSON.stringify(text)}`);
  });
}

export function readPort(name: string, value: string): number {
  const port = /^\d{1,5}$/.test(value) ? Number(value) : -1;
  if (port < 0 || port > 65_535) throw new SettingError(name, 'must be a whole number from 0 to 65535');
  return port;
}

export function readNumber(
  name: string,
  value: string | undefined,
  range: { min: number; max: number },
): number | null {
  if (value === undefined || /^(off|none|0)$/i.test(value)) return null;
  const number = /^\d+$/.test(value) ? Number(value) : Number.NaN;
  if (!(number >= range.min && number <= range.max)) {
    throw new SettingError(name, `must be off or a whole number from ${range.min} to ${range.max}`);
  }
  return number;
}

export function readFlag(name: string, value: string): boolean {
  const word = value.toLowerCase();
  if (word === 'true' || word === '1') return true;
  if (word === 'false' || word === '0') return false;
  throw new SettingError(name, 'must be true or false');
}

/** Reads a URL with one of the protocols, without its trailing slash. */
export function readUrl(
  name: string,
  value: string | undefined,
  protocols: readonly string[],
): string | null {
  if (value === undefined) return null;
  // `URL` drops line breaks and turns a backslash into a slash, but users of the text may not.
  if (/[\s\p{Cc}\\]/u.test(value))
    throw new SettingError(name, 'must be a URL without spaces, line breaks and backslashes');
  const url = URL.canParse(value) ? new URL(value) : null;
  if (!url || !protocols.includes(url.protocol) || url.hostname === '') {
    const examples = protocols.map(protocol => `${protocol}//`).join(' or ');
    throw new SettingError(name, `must be a URL that begins with ${examples} and names a host`);
  }
  if (protocols.includes('http:') && (url.search !== '' || url.hash !== '')) {
    throw new SettingError(name, 'must be a URL without ? and #');
  }
  return value.replace(/\/+$/, '');
}

/** Reads a URL that the service shows to others. It must not hold credentials. */
export function readPublicUrl(name: string, value: string | undefined): string | null {
  const url = readUrl(name, value, ['http:', 'https:']);
  if (url === null || (new URL(url).username === '' && new URL(url).password === '')) return url;
  throw new SettingError(name, 'must be a URL without a user and password');
}

export function readUrls(name: string, value: string | undefined): string[] {
  if (value === undefined) return [];
  return value.split(',').map(part => {
    const url = readUrl(name, part.trim() || 'nothing', ['http:', 'https:']);
    if (url === null) throw new SettingError(name, 'must hold URLs separated by commas');
    return url;
  });
}

/** Reads a secret with a minimum and maximum length, whose characters are safe in headers and URLs. */
export function readToken(
  name: string,
  value: string | undefined,
  { min, max }: { min: number; max: number },
): string | null {
  if (value === undefined) return null;
  if (value.length < min || value.length > max)
    throw new SettingError(name, `must be ${min} to ${max} characters long`);
  if (!/^[\x21-\x7e]+$/.test(value))
    throw new SettingError(name, 'must be printable ASCII characters without spaces');
  return value;
}

const byteUnits: Readonly<Record<string, number>> = {
  '': 1,
  b: 1,
  kb: 1000,
  mb: 1000 ** 2,
  gb: 1000 ** 3,
  kib: 1024,
  mib: 1024 ** 2,
  gib: 1024 ** 3,
};

export function readByteSize(name: string, value: string): number {
  const match = /^(\d+(?:\.\d+)?)\s*([A-Za-z]*)$/.exec(value);
  const unit = byteUnits[(match?.[2] ?? '').toLowerCase()];
  const bytes = match && unit ? Math.floor(Number(match[1]) * unit) : 0;
  if (bytes < 1 || bytes > Number.MAX_SAFE_INTEGER) {
    throw new SettingError(name, 'must be a size such as 32MiB, 500MiB or 1GiB');
  }
  return bytes;
}
