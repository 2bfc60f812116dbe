/** Reads the page to return to after sign-in. Anybody can write such a link, so only pages of this dashboard are accepted. */

/** The address within this dashboard, or its start when it leads elsewhere. */
export function readReturnAddress(back: string | undefined, origin: string): string {
  const url = URL.canParse(back ?? '/', origin) ? new URL(back ?? '/', origin) : null;
  return url?.origin === origin ? url.pathname + url.search + url.hash : '/';
}
