/**
 * Finds pictures that entries name by URL. Those that the service keeps are loaded from it, whatever domain the URL
 * has.
 */

const smallPixels = 640;

/** null for what another site holds. */
export function findOwnAddress(url: string, project: string): { whole: string; small: string } | null {
  const whole = URL.parse(url)?.pathname ?? '';
  return whole.startsWith(`/media/${project}/`) ? { whole, small: `${whole}?w=${smallPixels}` } : null;
}
