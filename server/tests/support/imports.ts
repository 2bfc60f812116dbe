/** Arranges an import: a source service, a target service and the command between them. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { recordAddress } from '../../src/stores/dataDirectory/dataDirectory.ts';
import { startTestService, type TestService } from './service.ts';
import { cleanEnvironment, commandOf, runTapedeck } from './tapedeck.ts';

export const importTokens = {
  media: 'media-token-of-imports-0123456789',
  logs: 'logs-token-of-imports-01234567890',
};
const environment = { TAPEDECK_MEDIA_TOKEN: importTokens.media, TAPEDECK_LOGS_TOKEN: importTokens.logs };

export type ImportCounts = { kind: string; found: number; imported: number; skipped: number; failed: number };

/** Starts a service that commands find. */
export async function startFoundService(): Promise<TestService> {
  const service = await startTestService({ environment });
  await recordAddress(service.dataDir, service.url);
  return service;
}

export function dataOf({ dataDir }: { dataDir: string }) {
  return { TAPEDECK_DATA_DIR: dataDir };
}

/** Runs the command and returns the last line it prints. */
export async function runImport(
  words: readonly string[],
  given: Readonly<Record<string, string>>,
): Promise<ImportCounts & { exitCode: number | null }> {
  const { exitCode, printed, complained } = await runTapedeck(['import', ...words, '--json'], given);
  const line = printed.trimEnd().split('\n').at(-1) ?? '';
  assert.match(line, /^\{.*\}$/, complained);
  // The command promises this shape.
  return { ...(JSON.parse(line) as ImportCounts), exitCode };
}

/** Begins an import in a separate process, which a test can kill. */
export function beginImport(words: readonly string[], given: Readonly<Record<string, string>>) {
  const [command = '', ...args] = commandOf(['import', ...words, '--json']);
  const child = spawn(command, args, { env: { ...cleanEnvironment(), ...given } });
  const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return {
    kill: () => void child.kill('SIGKILL'),
    ended: ended.then(([printed, complained, [exitCode]]) => ({ printed, complained, exitCode })),
  };
}

export async function askJson<T>(service: { url: string }, path: string, token: string): Promise<T> {
  const response = await fetch(`${service.url}${path}`, { headers: { authorization: token } });
  assert.equal(response.status, 200, await response.clone().text());
  // The caller names the type that the contract gives the route.
  return (await response.json()) as T;
}

export type ListedEntry = {
  traceId: string;
  parentId: string;
  timestamp: string;
  level: string;
  resource: string;
  body: string;
  metadata: Record<string, string>;
};

/** Returns all entries of a dataset, oldest first. */
export async function listEntries(service: { url: string }, dataset: string): Promise<ListedEntry[]> {
  const path = `/api/v3/logs/export?dataset=${dataset}&order=asc`;
  const response = await fetch(`${service.url}${path}`, { headers: { authorization: importTokens.logs } });
  const lines = (await response.text()).split('\n').filter(Boolean);
  return lines.map(line => JSON.parse(line) as ListedEntry); // CONTRACT.md, 4.2
}

type ListedFile = {
  id: string;
  filename: string;
  path: string;
  url: string;
  size: number;
  metadata: Record<string, unknown>;
};

/** Returns all files, newest first. */
export async function listFiles(service: { url: string }): Promise<ListedFile[]> {
  const files: ListedFile[] = [];
  for (let page = 1; ; page++) {
    const path = `/api/v3/file?limit=100&page=${page}`;
    const { data } = await askJson<{ data: ListedFile[] }>(service, path, importTokens.media);
    files.push(...data);
    if (data.length < 100) return files;
  }
}
