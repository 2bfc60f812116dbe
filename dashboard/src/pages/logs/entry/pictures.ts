/** Finds pictures that entries name by URL. Loads stored ones from this service, whatever domain the URL has. */

const smallPixels = 640;

/** Returns null for pictures on other sites. */
export function findOwnAddress(url: string, project: string): { whole: string; small: string } | null {
  const whole = URL.parse(url)?.pathname ?? '';
  return whole.startsWith(`/media/${project}/`) ? { whole, small: `${whole}?w=${smallPixels}` } : null;
}
