/** Remembers how the tests ended on which state of the repository, so that `npm run check` need not run them again. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../repository.ts';

const runAgeMsMax = 3_600_000; // the machine around the repository changes, too
const runPath = join(repositoryRoot, '.cache/last-run.json');

export type LastRun = { passed: number; failed: number; minutesAgo: number };

/** For runs of all tests only. */
export function rememberRun(hash: string, { passed, failed }: { passed: number; failed: number }): void {
  mkdirSync(join(repositoryRoot, '.cache'), { recursive: true });
  writeFileSync(runPath, JSON.stringify({ hash, passed, failed, endedAt: Date.now() }));
}

/** The run on exactly these files within the last hour; undefined when there was none. */
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
