/** Says which test files share processes. */

/** They change what the whole process sees, and are killed within. */
const ownProcess = /\.engines\.ts$/;
/** They turn fast HTTP off for their process, and repeat files that may have run in a process of others. */
const withoutFastHttp = /\/withoutFastHttp\//;

/**
 * Suites that neither change nor end their process. They share one, because loading and warming the service takes two seconds each. The log store's
 * suites all use two shards. The server's other suites have not been tried in one process.
 */
const sharing = [
  /^server\/tests\/(?:alerting|clients|commands|files|identity)\/.*\.engines\.ts$/,
  /^server\/tests\/(?:http\/rateLimit|logs\/log(?:Keys|Nodes))\.engines\.ts$/,
  /^server\/tests\/operations\/(?:backupTrouble|bucketBackup|installation|leavingNodes|migrateToRefusals|nodes|outages|outagesOfWriting|pooledDatabase|restore)\.engines\.ts$/,
  /^packages\/log-store\/tests\/conformance\/.*\.engines\.ts$/,
];

/** Files of one group may follow each other in a process, except those that need their own. */
export function processGroupOf(path: string): 'usual' | 'without fast HTTP' | 'own' {
  if (withoutFastHttp.test(path)) return 'without fast HTTP';
  const isSharing = sharing.some(pattern => pattern.test(path));
  return ownProcess.test(path) && !isSharing ? 'own' : 'usual';
}
