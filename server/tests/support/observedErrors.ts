/** Records every error that a test provokes, to find declared errors that no test covers. */
import { appendFileSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { routes } from '../../src/http/routes.ts';

const observedErrorsDirectory = path.join(import.meta.dirname, '../../../.cache/observed-errors');

type ObservedError = { route: string; code: string };

const patterns = routes.map(route => ({
  id: route.id,
  method: route.method,
  pattern: new RegExp(`^${route.path.replace(/\{\w+\*\}/, '.+').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
}));

/** Reads a copy of the response and leaves the response as it is. */
export async function observeAnswer(method: string, route: string, response: Response): Promise<void> {
  if (method === 'HEAD' || response.status < 400) return;
  const spelled = response.headers.get('x-error-code'); // protocols with their own error format
  if (spelled !== null) return noteError(method, route, spelled);
  if (!response.headers.get('content-type')?.includes('json')) return;
  const { code } = (await response.clone().json()) as { code: string };
  noteError(method, route, code);
}

export function noteError(method: string, route: string, code: string): void {
  const { pathname } = new URL(route, 'http://localhost');
  const known = patterns.find(candidate => candidate.method === method && candidate.pattern.test(pathname));
  if (known === undefined) return;
  const line = JSON.stringify({ route: known.id, code } satisfies ObservedError);
  if (noted.has(line)) return;
  if (noted.size === 0) mkdirSync(observedErrorsDirectory, { recursive: true });
  noted.add(line);
  appendFileSync(path.join(observedErrorsDirectory, `${process.pid}.ndjson`), `${line}\n`);
}

const noted = new Set<string>();
