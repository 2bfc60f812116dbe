/**
 * Lists test files whose services may reuse the log engine of an earlier service. They use neither the engine nor its files directly, and each folder
 * was tried. Other files start an engine for each service.
 */
const sharing = [
  /^(?:client|dashboard)\/tests\/.*\.test\.ts$/,
  /^server\/src\/http\/legacy\/.*\.test\.ts$/,
  /^server\/tests\/(?:alerting|commands|files|identity|ingest|loki|mcp|subjects)\/.*\.test\.ts$/,
];

/** In these folders, others look at engines. */
const sharingFiles: Readonly<Record<string, readonly string[]>> = {
  'server/tests/http': [
    'answerOrder',
    'bodyBounds',
    'brokenBodies',
    'documents',
    'dropIn',
    'errorFields',
    'expectations',
    'failures',
    'frontEnds',
    'malformedHttp',
    'openapi',
    'pipelining',
    'projectMetrics',
    'rateLimit',
    'traces',
    'trustedProxies',
    'unfinishedBodies',
  ],
  'server/tests/logs': [
    'batchIntake',
    'datasets',
    'dropInLogs',
    'everyDataset',
    'intakeOrder',
    'issues',
    'lenientLevels',
    'logExploration',
    'logPatterns',
    'logReaders',
    'logViews',
    'projectLogs',
  ],
};
const sharingPaths = new Set(
  Object.entries(sharingFiles).flatMap(([folder, names]) => names.map(name => `${folder}/${name}.test.ts`)),
);

export function mayShareEngines(path: string): boolean {
  return sharingPaths.has(path) || sharing.some(pattern => pattern.test(path));
}
