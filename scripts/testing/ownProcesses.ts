/** Test files that share their process with no other, and why. */
const reasons: readonly (readonly [RegExp, string])[] = [
  [/\.engines\.ts$/, 'they change what the whole process sees, and are killed within'],
  [/\/withoutFastHttp\//, 'they set the environment, and repeat files that may have run in the process'],
];

export function needsOwnProcess(path: string): boolean {
  return reasons.some(([pattern]) => pattern.test(path));
}
