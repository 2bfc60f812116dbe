/** Reads the URL of an SMTP server, and how far a connection to it is trusted. */
import { isIP } from 'node:net';

export type SmtpServer = {
  host: string;
  port: number;
  credentials: { user: string; password: string } | null;
  encryption:
    | 'always' // encrypted from the first byte
    | 'required' // STARTTLS, or no mail
    | 'offered'; // STARTTLS where the server has it
  /** Whether its certificate must be one that the machine trusts. */
  isCertificateChecked: boolean;
};

const flags = ['requireTLS', 'tls.rejectUnauthorized'];

/** null: the text is no such URL, or holds options that are not known. */
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
  // A password goes to nobody who only says to be the server. Without one there is nothing to lose: mail servers among
  // each other take any certificate, too.
  const isGuarded = credentials !== null && !isLoopback(host);
  const isRequired = readOption(url, 'requireTLS') ?? isGuarded;
  return {
    ...{ host, credentials },
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

/** undefined: they are not encoded as URLs want it. */
function readCredentials({ username, password }: URL): SmtpServer['credentials'] | undefined {
  if (username === '') return password === '' ? null : undefined;
  try {
    return { user: decodeURIComponent(username), password: decodeURIComponent(password) };
  } catch {
    return undefined; // half of an escape
  }
}

function isLoopback(host: string): boolean {
  if (isIP(host) === 0) return host === 'localhost';
  return /^127\./.test(host) || host === '::1';
}
