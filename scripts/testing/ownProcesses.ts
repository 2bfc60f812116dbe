/** Test files that share their process with no other, and why. */
const reasons: readonly (readonly [RegExp, string])[] = [
  [/\.engines\.ts$/, 'they change what the whole process sees, and are killed within'],
  [/\/withoutFastHttp\//, 'they set the environment, and repeat files that may have run in the process'],
];

/**
 * Suites that neither change what their process sees nor end it, because loading and warming the service takes two seconds of each. Those
 * of the log store all use two shards.
 */
const sharing =
  /^(?:server\/tests\/(?!durability|metadata)\w+|packages\/log-store\/tests\/conformance)\/.*\.engines\.ts$/;

export function needsOwnProcess(path: string): boolean {
  return !sharing.test(path) && reasons.some(([pattern]) => pattern.test(path));
}
