/** The secret of an invitation: behind the # of the link, and in this tab alone while its holder signs in. */

const place = 'tapedeck.invitation';

export function readSecret(): string | null {
  return window.location.hash.slice(1).trim() || sessionStorage.getItem(place);
}

/** An address would be seen by whoever writes down addresses. */
export function keepSecret(secret: string): void {
  sessionStorage.setItem(place, secret);
}
