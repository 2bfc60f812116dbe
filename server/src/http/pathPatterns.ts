/** Turns paths in the notation of routes into regular expressions. */

/** `/a/{b}` takes one segment for b. `/a/{b*}` takes the whole rest, which may be empty. Without anchors. */
export function toPathPattern(path: string): string {
  return path
    .replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&')
    .replace(/\{\w+\\\*\}/, '.*')
    .replaceAll(/\{\w+\}/g, '[^/]+');
}
