/** Names a session's browser and system from its User-Agent header. */

// The order matters: Edge's header also names Chrome, and Chrome's also names Safari.
const browsers = [
  ['Edg/', 'Edge'],
  ['OPR/', 'Opera'],
  ['Firefox/', 'Firefox'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
  ['curl/', 'curl'],
] as const;

const systems = [
  ['Android', 'Android'],
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Windows', 'Windows'],
  ['Mac OS', 'macOS'],
  ['Linux', 'Linux'],
] as const;

export function describeUserAgent(header: string): string {
  const browser = browsers.find(([sign]) => header.includes(sign))?.[1];
  const system = systems.find(([sign]) => header.includes(sign))?.[1];
  if (browser && system) return `${browser} on ${system}`;
  return browser ?? system ?? (header === '' ? 'Unknown program' : header.slice(0, 40));
}
