/** Lists test files that need a separate process, and why. */
const reasons: readonly (readonly [RegExp, string])[] = [
  [/\.engines\.ts$/, 'they change what the whole process sees, and are killed within'],
  [/\/withoutFastHttp\//, 'they set the environment, and repeat files that may have run in the process'],
];

/**
 * Suites that neither change nor end their process. They share one, because loading and warming the service takes two seconds each. The log store's
 * suites all use two shards. The server's other suites have not been tried in one process.
 */
const sharing = [
  /^server\/tests\/(?:alerting|clients|commands|files|identity)\/.*\.engines\.ts$/,
  /^server\/tests\/(?:http\/rateLimit|logs\/log(?:Keys|Nodes))\.engines\.ts$/,
  /^server\/tests\/operations\/(?:installation|leavingNodes|nodes|outagesOfWriting|pooledDatabase|restore)\.engines\.ts$/,
  /^packages\/log-store\/tests\/conformance\/.*\.engines\.ts$/,
];

export function needsOwnProcess(path: string): boolean {
  const isSharing = sharing.some(pattern => pattern.test(path));
  return !isSharing && reasons.some(([pattern]) => pattern.test(path));
}
