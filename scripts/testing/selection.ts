/** Which files hold tests: `*.test.ts` for the embedded set-up, `*.engines.ts` for PostgreSQL, S3 and ClickHouse shards. */
import { listRepositoryFiles } from '../repository.ts';

export type Suite = 'embedded' | 'engines';

const endings: Readonly<Record<Suite, RegExp>> = { embedded: /\.test\.tsx?$/, engines: /\.engines\.ts$/ };

/** Returns all test files, or those whose path contains one of the words. */
export function selectTestFiles(
  suite: Suite,
  words: readonly string[],
  files = listRepositoryFiles(),
): string[] {
  const tests = files.filter(path => endings[suite].test(path));
  return words.length === 0
    ? tests
    : tests.filter(path => words.some(word => path.includes(cleanWord(word))));
}

/** Accepts a path from shell completion: `./server/tests/` means `server/tests/`. */
function cleanWord(word: string): string {
  return word.replace(/^\.\//, '');
}
