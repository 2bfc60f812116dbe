/** Test files that share their process with no other, and why. */
const reasons: Readonly<Record<string, string>> = {};

/** Suites on real engines have a process each: they change what the whole process sees, and are killed within. */
export function needsOwnProcess(path: string): boolean {
  return path.endsWith('.engines.ts') || Object.hasOwn(reasons, path);
}
