/** Reads the page to return to after sign-in. Accepts only pages of this dashboard, because anyone can write such a link. */

/** Returns the address, or the start page if it leads outside this dashboard. */
export function readReturnAddress(back: string | undefined, origin: string): string {
  const url = URL.canParse(back ?? '/', origin) ? new URL(back ?? '/', origin) : null;
  return url?.origin === origin ? url.pathname + url.search + url.hash : '/';
}
