/** Keeps an invitation's secret: after the # of the link, or in this tab while the user signs in. */

const place = 'tapedeck.invitation';

export function readSecret(): string | null {
  return window.location.hash.slice(1).trim() || sessionStorage.getItem(place);
}

/** Keeps the secret out of addresses, because proxies and servers log those. */
export function keepSecret(secret: string): void {
  sessionStorage.setItem(place, secret);
}
