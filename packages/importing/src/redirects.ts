/** Writes redirects from old public URLs to the new ones: as JSON, and as configuration for nginx and Caddy. */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { DoneFile } from './fileImport.ts';

export type Redirect = { from: string; to: string };

/** Lists a redirect for each former address of a file. A file's new address needs none. */
export function listRedirects(files: readonly DoneFile[]): Redirect[] {
  const all = files.flatMap(({ from, to }) => from.map(url => ({ from: url, to: to.url })));
  const isUsable = ({ from, to }: Redirect) => URL.canParse(from) && URL.canParse(to) && from !== to;
  return [...new Map(all.filter(isUsable).map(redirect => [redirect.from, redirect])).values()];
}

export async function writeRedirects(folder: string, redirects: readonly Redirect[]): Promise<void> {
  await mkdir(folder, { recursive: true });
  const write = (name: string, text: string) => writeFile(path.join(folder, name), text);
  await write('redirects.json', `${JSON.stringify(redirects, null, 2)}\n`);
  await write('redirects.nginx.conf', writeNginx(redirects));
  await write('redirects.Caddyfile', writeCaddy(redirects));
}

type Moved = { path: string; to: string };

/** Groups by host, without the port. If addresses differ only in their query, the first counts, because servers match the path. */
function groupByHost(redirects: readonly Redirect[]): Map<string, Moved[]> {
  const hosts = new Map<string, Map<string, Moved>>();
  for (const { from, to } of redirects) {
    const { hostname, pathname } = new URL(from);
    const host = hosts.get(hostname) ?? new Map<string, Moved>();
    const place = decodePath(pathname);
    if (!host.has(place)) host.set(place, { path: place, to: new URL(to).href });
    hosts.set(hostname, host);
  }
  return new Map([...hosts].map(([host, moved]) => [host, [...moved.values()]]));
}

/** Decodes a path as servers do to compare it. */
function decodePath(pathname: string): string {
  try {
    return decodeURIComponent(pathname);
  } catch {
    return pathname;
  }
}

/** Quotes one line. It cannot escape dollar signs, which begin a variable. */
function quoteNginx(text: string): string {
  return `"${text.replaceAll(/["\\]/g, '\\$&').replaceAll(/[\r\n]/g, '')}"`;
}

function writeNginx(redirects: readonly Redirect[]): string {
  const servers = [...groupByHost(redirects)].map(([host, moved]) => {
    const locations = moved.map(
      each =>
        `    location = ${quoteNginx(each.path)} { return 301 ${quoteNginx(each.to.replaceAll('$', '%24'))}; }`,
    );
    return [`server {`, `    listen 80;`, `    server_name ${host};`, ...locations, `}`].join('\n');
  });
  const head = [
    '# Old addresses of files and where they lead now. Include this file inside `http { … }`, and add',
    '# `listen 443 ssl;` with your certificates where the old addresses begin with https.',
  ];
  return `${[...head, ...servers].join('\n')}\n`;
}

/** Backticks quote everything; double quotes quote everything except a double quote. */
function quoteCaddy(text: string): string {
  const line = text.replaceAll(/[\r\n]/g, '');
  return line.includes('`') ? `"${line.replaceAll('"', '\\"')}"` : `\`${line}\``;
}

function writeCaddy(redirects: readonly Redirect[]): string {
  const sites = [...groupByHost(redirects)].map(([host, moved]) => {
    const lines = moved.map(
      each =>
        `        ${quoteCaddy(each.path)} ${quoteCaddy(each.to.replaceAll('{', '%7B').replaceAll('}', '%7D'))}`,
    );
    return [
      `http://${host}, https://${host} {`,
      '    map {http.request.uri.path} {moved_to} {',
      ...lines,
      '        default ""',
      '    }',
      '    @moved expression `{moved_to} != ""`',
      '    redir @moved {moved_to} 301',
      '    respond 404',
      '}',
    ].join('\n');
  });
  const head = '# Old addresses of files and where they lead now.';
  return `${[head, ...sites].join('\n')}\n`;
}
