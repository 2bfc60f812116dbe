/** Reads the URL of an SMTP server, and how far to trust a connection to it. */
import { isIP } from 'node:net';

export type SmtpServer = {
  host: string;
  port: number;
  credentials: { user: string; password: string } | null;
  encryption:
    | 'always' // encrypted from the first byte
    | 'required' // STARTTLS, or no mail
    | 'offered'; // STARTTLS if the server offers it
  /** Whether the machine must trust the server's certificate. */
  isCertificateChecked: boolean;
};

const flags = ['requireTLS', 'tls.rejectUnauthorized'];

/** Returns null if the text is not such a URL, or has unknown options. */
export function readServer(text: string): SmtpServer | null {
  const url = !/[\s\p{Cc}\\]/u.test(text) && URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^smtps?:$/.test(url.protocol) || url.hostname === '') return null;
  if (!/^\/?$/.test(url.pathname) || url.hash !== '') return null;
  const given = [...url.searchParams];
  if (!given.every(([name, value]) => flags.includes(name) && /^(true|false)$/.test(value))) return null;
  const credentials = readCredentials(url);
  if (credentials === undefined) return null;
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const isImplicit = url.protocol === 'smtps:';
  // A password must not reach an impostor. Without one, any certificate will do, as between mail servers.
  const isGuarded = credentials !== null && !isLoopback(host);
  const isRequired = readOption(url, 'requireTLS') ?? isGuarded;
  return {
    host,
    credentials,
    port: url.port === '' ? (isImplicit ? 465 : 587) : Number(url.port),
    encryption: isImplicit ? 'always' : isRequired ? 'required' : 'offered',
    isCertificateChecked:
      readOption(url, 'tls.rejectUnauthorized') ?? (isGuarded || (isImplicit && !isLoopback(host))),
  };
}

function readOption(url: URL, name: string): boolean | null {
  const value = url.searchParams.get(name);
  return value === null ? null : value === 'true';
}

/** Returns undefined if they are not URL-encoded. */
function readCredentials({ username, password }: URL): SmtpServer['credentials'] | undefined {
  if (username === '') return password === '' ? null : undefined;
  try {
    return { user: decodeURIComponent(username), password: decodeURIComponent(password) };
  } catch {
    return undefined; // half an escape
  }
}

function isLoopback(host: string): boolean {
  if (isIP(host) === 0) return host === 'localhost';
  return /^127\./.test(host) || host === '::1';
}
