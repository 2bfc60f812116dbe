/** Reads an address that a user typed, before anything is sent there. */
import { isIP } from 'node:net';
import { OutgoingFailure } from './failure.ts';

/** Refuses texts that are not http(s) addresses, and numeric addresses that are not allowed. Names are checked on use. */
export function readTarget(text: string, isAllowed: (address: string) => boolean): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    throw new OutgoingFailure('target_invalid', 'The address must begin with https:// or http://.');
  }
  // `URL` removes line breaks and tabs, trims blanks, and turns a backslash into a slash, so the address would change.
  if (/[\s\p{Cc}\p{Cf}\\]/u.test(text)) {
    const sentence = 'The address must not contain spaces, line breaks, backslashes or invisible characters.';
    throw new OutgoingFailure('target_invalid', sentence);
  }
  if (!isDecodable(url.username + url.password)) {
    throw new OutgoingFailure(
      'target_invalid',
      'Special characters in the user and the password must be percent-encoded.',
    );
  }
  const address = readAddress(url);
  if (address !== null) requireAllowed(url, [address], isAllowed);
  return url;
}

export function requireAllowed(
  { host }: URL,
  addresses: readonly string[],
  isAllowed: (address: string) => boolean,
): void {
  if (addresses.every(isAllowed)) return;
  throw new OutgoingFailure(
    'target_private',
    `${host} is on this machine or a private network. Nothing is sent there.`,
  );
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false; // half an escape
  }
}

/** Addresses may be in octal or a single number; `URL` gives the usual form. */
function readAddress({ hostname }: URL): string | null {
  const address = hostname.replace(/^\[(.*)\]$/, '$1');
  return isIP(address) === 0 ? null : address;
}
