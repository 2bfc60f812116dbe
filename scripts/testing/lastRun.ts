/** Remembers the result of the tests for a state of the repository, so that `npm run check` need not repeat them. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../repository.ts';

const runAgeMsMax = 3_600_000; // the machine around the repository changes, too
const runPath = join(repositoryRoot, '.cache/last-run.json');

export type LastRun = { passed: number; failed: number; minutesAgo: number };

/** Only for runs of all tests. */
export function rememberRun(hash: string, { passed, failed }: { passed: number; failed: number }): void {
  mkdirSync(join(repositoryRoot, '.cache'), { recursive: true });
  writeFileSync(runPath, JSON.stringify({ hash, passed, failed, endedAt: Date.now() }));
}

/** Returns the run on exactly these files within the last hour, or undefined. */
export function recallRun(hash: string): LastRun | undefined {
  try {
    const run = JSON.parse(readFileSync(runPath, 'utf8'));
    const ageMs = Date.now() - run.endedAt;
    if (run.hash !== hash || ageMs < 0 || ageMs > runAgeMsMax) return undefined;
    return { passed: run.passed, failed: run.failed, minutesAgo: Math.round(ageMs / 60_000) };
  } catch {
    return undefined;
  }
}
