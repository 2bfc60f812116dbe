/** Remembers which state of the repository passed its tests, so that `npm run check` need not run them again. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../repository.ts';
import type { Suite } from './selection.ts';

const passAgeMsMax = 3_600_000; // the machine around the repository changes, too

export type Pass = { hash: string; passed: number };

export function rememberPass(suite: Suite, { hash, passed }: Pass): void {
  mkdirSync(join(repositoryRoot, '.cache'), { recursive: true });
  writeFileSync(passPath(suite), JSON.stringify({ hash, passed, passedAt: Date.now() }));
}

/** The number of tests that passed on exactly these files within the last hour; undefined when there was no such run. */
export function recallPass(suite: Suite, hash: string): { passed: number; minutesAgo: number } | undefined {
  try {
    const pass = JSON.parse(readFileSync(passPath(suite), 'utf8'));
    const ageMs = Date.now() - pass.passedAt;
    if (pass.hash !== hash || ageMs < 0 || ageMs > passAgeMsMax) return undefined;
    return { passed: pass.passed, minutesAgo: Math.round(ageMs / 60_000) };
  } catch {
    return undefined;
  }
}

function passPath(suite: Suite): string {
  return join(repositoryRoot, `.cache/passed-${suite}.json`);
}
