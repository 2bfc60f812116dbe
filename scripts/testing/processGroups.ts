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
  /^server\/tests\/operations\/(?:backupTrouble|bucketBackup|installation|leavingNodes|migrateToRefusals|nodes|outages|pooledDatabase|readOnlyDatabase|restore)\.engines\.ts$/,
  /^packages\/log-store\/tests\/conformance\/.*\.engines\.ts$/,
];

/** They limit the memory of their own process, so its heap starts as small as V8 makes it. */
export const measuringMemory: readonly string[] = [
  'packages/fast-http/src/gatheredBytes.test.ts',
  'packages/media-facts/src/hostility.test.ts',
  'server/src/http/legacy/logs.test.ts',
  'server/tests/http/slowReaders.test.ts',
  'server/tests/ingest/compressedBodies.test.ts',
  'server/tests/logs/logExport.test.ts',
  'server/tests/loki/lokiBadInput.test.ts',
];

/**
 * The service's processes begin with a large heap, too. Otherwise V8 collects the whole heap whenever a few megabytes of request bodies have come and
 * gone, and the young generation grows only while it is collected. A process of many files holds over 100 MB for good, and marking that again and again
 * took a twentieth of the suite's processor time with 192 MB.
 */
export const roomyHeap: readonly string[] = ['--initial-old-space-size=768', '--min-semi-space-size=16'];

/** Files of one group may follow each other in a process, except those that need their own. */
export function processGroupOf(path: string): 'usual' | 'without fast HTTP' | 'measuring memory' | 'own' {
  if (withoutFastHttp.test(path)) return 'without fast HTTP';
  if (measuringMemory.includes(path)) return 'measuring memory';
  const isSharing = sharing.some(pattern => pattern.test(path));
  return ownProcess.test(path) && !isSharing ? 'own' : 'usual';
}
