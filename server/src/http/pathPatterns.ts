/** Paths as routes write them, as regular expressions. */

/** `/a/{b}` takes one segment for b, `/a/{b*}` takes all that follow, be it nothing. Without anchors. */
export function toPathPattern(path: string): string {
  return path
    .replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&')
    .replace(/\{\w+\\\*\}/, '.*')
    .replaceAll(/\{\w+\}/g, '[^/]+');
}
