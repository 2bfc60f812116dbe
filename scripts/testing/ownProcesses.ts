/** Test files that share their process with no other, and why. */
const reasons: readonly (readonly [RegExp, string])[] = [
  [/\.engines\.ts$/, 'they change what the whole process sees, and are killed within'],
  [/\/withoutFastHttp\//, 'they set the environment, and repeat files that may have run in the process'],
];

/**
 * Suites that neither change what their process sees nor end it, because loading and warming the service takes two seconds of each. Those
 * of the log store all use two shards. The others of the server have not been tried in one process.
 */
const sharing = [
  /^server\/tests\/(?:alerting|clients|commands|files|identity|metadata)\/.*\.engines\.ts$/,
  /^server\/tests\/(?:http\/rateLimit|logs\/log(?:Deletions|Keys|Nodes|Servers))\.engines\.ts$/,
  /^server\/tests\/logs\/sharedJournal(?:Kills|Outages)?\.engines\.ts$/,
  /^server\/tests\/operations\/(?:installation|leavingNodes|migrateTo|nodes|outagesOfWriting|pooledDatabase|restore)\.engines\.ts$/,
  /^packages\/log-store\/.*\.engines\.ts$/,
  /^packages\/(?:blob-stores\/src\/disk|metadata-database\/src\/(?:pooler|postgres))\.engines\.ts$/,
];

export function needsOwnProcess(path: string): boolean {
  const isSharing = sharing.some(pattern => pattern.test(path));
  return !isSharing && reasons.some(([pattern]) => pattern.test(path));
}
