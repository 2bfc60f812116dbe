/** Where a user goes on after signing in. What stands in a link may come from anybody. */

/** The address within this dashboard, or its start when it leads elsewhere. */
export function readReturnAddress(back: string | undefined, origin: string): string {
  const url = URL.canParse(back ?? '/', origin) ? new URL(back ?? '/', origin) : null;
  return url?.origin === origin ? url.pathname + url.search + url.hash : '/';
}
