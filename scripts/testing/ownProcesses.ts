/** Test files that share their process with no other, and why. */
const reasons: readonly (readonly [RegExp, string])[] = [
  [/\.engines\.ts$/, 'they change what the whole process sees, and are killed within'],
  [/\/withoutFastHttp\//, 'they set the environment, and repeat files that may have run in the process'],
];

/** Those with other people's programs and servers beside a service, which they end: to load the service takes two seconds of each. */
const sharing = /^server\/tests\/(?:clients|commands|files|identity)\/.*\.engines\.ts$/;

export function needsOwnProcess(path: string): boolean {
  return !sharing.test(path) && reasons.some(([pattern]) => pattern.test(path));
}
