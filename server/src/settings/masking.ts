/** Shows settings to people with secrets masked. */
import type { Setting } from '../settings.ts';

export function maskSecret(setting: Setting, value: string): string {
  if (setting.secret === 'whole') return '(set)';
  if (setting.secret !== 'password') return value;
  return value
    .split(/,\s*(?=https?:)/i)
    .map(maskUrl)
    .join(',');
}

/** Masks a URL with an @ after the host completely: its password was not encoded, so the rest may be part of it. */
function maskUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || /@|%40/.test(url.pathname + url.search + url.hash)) return '(set)';
  const { protocol, username, password, host, pathname, searchParams } = url;
  const user = username + (password === '' ? '' : ':***');
  const parameters = [...searchParams].map(
    ([name, value]) => `${name}=${name === 'sslmode' ? value : '***'}`,
  );
  const path = pathname === '/' ? '' : pathname;
  return [protocol, '//', user && `${user}@`, host, path, parameters.length > 0 && `?${parameters.join('&')}`]
    .filter(Boolean)
    .join('');
}
