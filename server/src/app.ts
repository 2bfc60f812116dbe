/** The composition root: builds the stores, the domain and the server from the configuration. Nothing else builds. */
import path from 'node:path';
import { blobReadBytesMax, openBlobStore, openOwnStaging } from '@tapedeck/blob-stores';
import { createStamper } from '@tapedeck/log-entries';
import { levelSynonyms } from '@tapedeck/log-query-language';
import { openLogStore } from '@tapedeck/log-store';
import { openEvaluationThreads } from '@tapedeck/loki-queries';
import { openClientAddresses } from '@tapedeck/web/client-addresses';
import type { Logger } from 'pino';
import { openAuthMethods } from './authMethods.ts';
import { type CoreStores, openCoreStores } from './bootstrap.ts';
import type { Config } from './config.ts';
import { openArchiveGate } from './domain/files/archive.ts';
import { requireOwnBlobs } from './domain/files/bucketOwnership.ts';
import { type FolderMover, openFolderMover } from './domain/files/folderMover.ts';
import { openPublicFiles } from './domain/files/publicFiles.ts';
import { openResumableUploads } from './domain/files/resumable.ts';
import { openVariantMaker } from './domain/files/variants.ts';
import { type AccessDeps, AccessDirectory } from './domain/identity/access.ts';
import { makeFixedToken } from './domain/identity/fixedTokens.ts';
import { openPasswords, type Passwords } from './domain/identity/passwords.ts';
import { ensureOwner, isSetUp, makeSetUpCode } from './domain/identity/setUp.ts';
import { openRetentions } from './domain/logs/datasetRules.ts';
import { createCursorSigner } from './domain/logs/search/pages.ts';
import { measureQueries } from './domain/logs/search/queryTimes.ts';
import { openLogTails } from './domain/logs/tails/tails.ts';
import { openLogServers } from './domain/operations/installation.ts';
import { StoreHealth } from './domain/operations/storeHealth.ts';
import { type Clock, systemClock } from './domain/ports/clock.ts';
import type { MetadataStore, Token } from './domain/ports/metadata.ts';
import type { Spans } from './domain/ports/spans.ts';
import type { ManagementDeps } from './domain/projects/auditedChanges.ts';
import { ProjectCounts } from './domain/projects/projectCounts.ts';
import { ensureDefaultProject } from './domain/projects/projects.ts';
import { openSdkDirectory } from './domain/projects/sdkSessions.ts';
import { listOwnHosts } from './domain/reservedNames.ts';
import { type EarlyStart, startEarly } from './earlyStart.ts';
import { listen, nameHost } from './http/connection/listening.ts';
import { openFastPath } from './http/fastPath.ts';
import { openOriginals } from './http/media/mediaContent.ts';
import { makeMediaMemory } from './http/media/mediaMemory.ts';
import type { Metrics } from './http/metrics.ts';
import { routeModules } from './http/routes.ts';
import { createServer, type Timeouts, usualTimeouts } from './http/server.ts';
import type { EntryIntakeDeps } from './intake/entryIntake.ts';
import { openReadingThread } from './intake/thread/readingThread.ts';
import { openAlerting } from './jobs/alerts.ts';
import { listCleanupJobs } from './jobs/cleanup.ts';
import { listFileJobs } from './jobs/files.ts';
import { listMoveJobs } from './jobs/folderMoves.ts';
import { listLogJobs } from './jobs/logs.ts';
import { openRateLimit } from './jobs/rateLimits.ts';
import { type Repeated, startJobs } from './jobs/scheduler.ts';
import { openKeyGate } from './keyGate.ts';
import { openListeners } from './listeners/listeners.ts';
import { openMetrics } from './metrics.ts';
import { logStoreChange, type OutageLog, openOutageLog } from './outageLog.ts';
import { openSharedJournal } from './sharedJournal.ts';
import { findProblem, openStatus } from './status.ts';
import { openGameServers } from './stores/gameServers.ts';
import { openPreviewMaker } from './stores/images/previews/previewMaker.ts';
import { openSharpScaler } from './stores/images/sharpScaler.ts';
import { openTracing } from './tracing.ts';
import { version } from './version.ts';

export type Service = AsyncDisposable & {
  /** The address at which this process listens. */
  url: string;
  /** The prefix of the URLs that the service hands out. */
  publicUrl: string;
  /** null once an owner exists. */
  setUpCode: string | null;
  /** Asks clients to use another node from now on, but still answers their requests. */
  leave(): void;
};

/** `signal` cancels the start and is ignored afterwards. The service disposes of `held`. */
export type ServiceOptions = {
  log: Logger;
  clock?: Clock;
  passwords?: Passwords;
  timeouts?: Partial<Timeouts>;
  signal?: AbortSignal;
  held?: EarlyStart;
};

/** Serves until disposed of, then stops accepting requests, finishes those in flight and closes its stores. */
export async function startService(
  config: Config,
  { log, clock = systemClock, passwords = openPasswords(), timeouts, signal, held }: ServiceOptions,
): Promise<Service> {
  await using opened = new AsyncDisposableStack();
  const { engine } = opened.use(held ?? (await startEarly(config, { log, signal })));
  const tracing = openTracing(config.traces, { log, opened }); // closes last, to trace the others' shutdown
  const core = await openCoreStores(config, opened);
  const { secret, store } = core;
  const { watch, outageLog } = openWatch(log, store, opened);
  const sdk = openSdkDirectory({ sdkSessions: store.sdkSessions, secret, clock });
  const ownHosts = listOwnHosts(config);
  const database = watch.watchOf('database');
  const access = opened.use(await openAccess({ store, clock, sdk, ownHosts, database }, config, secret));
  const management: ManagementDeps = { store, clock, passwords, announceChange: () => access.refresh() };
  if (config.firstOwner) await ensureOwner(management, { ...config.firstOwner, name: '' });
  const address = { publicUrl: config.publicUrl ?? `http://localhost:${config.port}` };
  const metrics = openMetrics(watch, { store, clock });
  const repeated = listCleanupJobs(management);
  const counts = new ProjectCounts(access);
  metrics.showProjects(counts);
  const shared = { log: outageLog, clock, signal, opened, repeated, watch, counts, spans: tracing.spans };
  const fileDeps = await openFiles(config, { ...core, access }, shared);
  const { logStore, logDeps } = await openLogs(config, { ...core, access, engine, metrics }, shared);
  const rateLimit = openRateLimit(config, store, shared);
  const around = { ...core, ...shared, ...fileDeps, sdkSessions: sdk.sessions, address, logStore };
  const alerting = openAlerting(config, { ...around, metrics, arrivals: logStore.queries });
  const status = await openStatus(config, { ...around, metrics });
  opened.use(startJobs(shared, repeated)); // opened after everything it uses, so it closes first
  const deps = {
    ...{ ...management, ...fileDeps, ...logDeps, ownHosts, ...alerting, ...status },
    ...{ sdkSessions: sdk.sessions, sdkSessionMs: config.sdkSessionMs, gameServers: openGameServers(config) },
    ...{ ...openAuthMethods(config), findClientAddress: openClientAddresses(config.trustedProxies) },
    ...{ access, secret, version, address, metrics, counts, tracer: tracing.tracer },
  };
  const times = { ...usualTimeouts, ...timeouts };
  const server = await createServer({
    ...{ ...deps, log, timeouts: times, rateLimit },
    fileSizeBytesMax: config.fileSizeBytesMax,
    dashboardDirectory: path.join(import.meta.dirname, '../../dashboard/dist'),
    guidesDirectory: path.join(import.meta.dirname, '../../docs'),
    fastPath: config.fastHttp ? openFastPath({ ...deps, log, rateLimit }) : null,
    handled: routeModules.flatMap(module => module.handle({ ...deps, watch, ...times })),
  });
  opened.defer(() => server.stop());
  await openListeners(config, { ...deps, log }, opened);
  opened.use(watch); // stores that close from here on do not count as away
  // These would delay the stop: streams that never end by themselves, and requests that wait for a move.
  for (const each of [logDeps.tails, fileDeps.folderMover]) opened.use(each);
  const port = await listen(server.app, config);
  if (config.publicUrl === null) address.publicUrl = `http://localhost:${port}`; // the configured port may be 0
  const setUpCode = (await isSetUp(management)) ? null : makeSetUpCode(secret);
  const running = opened.move();
  return {
    url: `http://${nameHost(config.host)}:${port}`,
    publicUrl: address.publicUrl,
    ...{ setUpCode, leave: () => watch.leave() },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

function openWatch(log: Logger, store: MetadataStore, opened: AsyncDisposableStack) {
  const watch = opened.use(new StoreHealth(change => logStoreChange(log, change)));
  watch.add({ name: 'database', ping: () => store.ping() });
  return { watch, outageLog: openOutageLog(log, watch) };
}

type SharedAttributes = {
  log: OutageLog;
  clock: Clock;
  signal: AbortSignal | undefined;
  opened: AsyncDisposableStack;
  /** Jobs that run repeatedly once everything is open. */
  repeated: Repeated[];
  watch: StoreHealth;
  counts: ProjectCounts;
  spans: Spans | null;
};

/** Opens the media stores and starts the jobs around them. */
async function openFiles(
  config: Config,
  { store, installationId, reserve, access }: CoreStores & { access: AccessDirectory },
  shared: SharedAttributes,
) {
  const { log, clock, opened, repeated, watch, counts, spans } = shared;
  let isUnavailable = false;
  const reportOutage = (reason: string) => {
    isUnavailable = true;
    log.warn({ reason }, 'the file store is unavailable; trying again');
  };
  const blobs = opened.use(await openBlobStore(config.blobs, () => clock.now(), reportOutage));
  watch.add({ name: 'blobs', ping: () => blobs.check() });
  const staging = opened.use(await openOwnStaging(path.join(config.dataDir, 'staging')));
  const { files, presignedUses, resumableUploads } = store;
  const partials = blobs.openPartials(staging);
  const { fileSizeBytesMax } = config;
  const reportLostUse = (error: unknown) =>
    log.warn({ err: error }, 'could not release a use of a presigned URL');
  const begun = { clock, fileSizeBytesMax, presignedUses, reportLostUse, partials, resumableUploads };
  const resumable = opened.use(await openResumableUploads(begun, config.database.kind === 'sqlite'));
  const deps = {
    blobs,
    staging,
    files,
    publicFiles: openPublicFiles(files, watch.watchOf('database')),
    makeVariant: openVariantMaker({
      blobs,
      files,
      staging,
      scaler: openSharpScaler(),
      previews: openPreviewMaker(),
    }),
    describeOriginal: openOriginals(blobs),
    mediaMemory: makeMediaMemory(blobReadBytesMax),
    ...{ fileMoves: store.fileMoves, archiveGate: openArchiveGate() },
    ...{ ...begun, reserve, resumable, counts, spans },
    blobsPublicUrl: config.blobs.kind === 's3' ? config.blobs.publicUrl : null,
  };
  const ownDeps = { blobs, files, store, installationId };
  if (!isUnavailable) await requireOwnBlobs(ownDeps);
  const isShared = config.database.kind === 'postgres';
  repeated.push(...listFileJobs({ ...deps, ...ownDeps }, { areBlobsKnown: !isUnavailable, isShared }));
  return { ...deps, folderMover: openMoves(config, { ...deps, store, access }, shared) };
}

function openMoves(
  { database }: Config,
  deps: Omit<Parameters<typeof openFolderMover>[0], 'report'>,
  { log, opened, repeated }: SharedAttributes,
): FolderMover {
  const report = (err: unknown) => log.warn({ err }, 'moving a folder was interrupted; resuming');
  const mover = opened.use(openFolderMover({ ...deps, report }));
  repeated.push(...listMoveJobs(mover, database.kind === 'postgres'));
  return mover;
}

/** Opens the log store and the intake of entries. */
async function openLogs(
  config: Config,
  {
    access,
    secret,
    store,
    installationId,
    engine,
    metrics,
  }: CoreStores & { access: AccessDirectory; engine: EarlyStart['engine']; metrics: Metrics },
  { log, clock, signal, opened, repeated, watch, counts, spans }: SharedAttributes,
) {
  // Nodes that share the database share their deletions.
  const deletions = config.database.kind === 'postgres' ? store.read.logDeletions : null;
  const known = openLogServers({ store }, installationId);
  const journal = openSharedJournal(config, store, opened);
  const shared = { known, deletions, journal };
  const logStore = opened.use(
    await openLogStore(config.logs, {
      ...{ log, dataDir: config.dataDir, signal, engine, ...shared },
      onInsert: step => spans?.note({ name: 'insert log entries', isShared: true, ...step }),
    }),
  );
  watch.add({ name: 'logs', ping: () => logStore.ping() });
  metrics.showJournal(() => logStore.readJournal());
  metrics.showLogLoss(() => logStore.findLoss());
  const { intake, removals: logRemovals, backfill: logBackfill, queries: logQueries } = logStore;
  const isShared = config.logs.kind === 'clickhouse';
  repeated.push(...listLogJobs({ logRemovals, logBackfill, logQueries, store, access, clock, isShared }));
  const ingestDeps: EntryIntakeDeps = {
    ...{ intake, counts },
    reading: opened.use(openReadingThread()),
    clock,
    stamper: createStamper(clock.micros),
    keyGate: await openKeyGate(config, { logStore, store }, { log, clock, repeated }),
    levelSynonyms: config.lenientLevels ? levelSynonyms : null,
    readRetentionDays: openRetentions(access),
  };
  const reading = {
    logQueries: measureQueries(logStore.queries, { log, metrics, spans, slowMs: config.slowQueryMs }),
    evaluationThreads: opened.use(openEvaluationThreads()),
    logBackfill,
    logRemovals,
    cursorSeal: createCursorSigner(secret),
    tails: openLogTails({
      arrivals: logStore.queries,
      intake,
      isShared,
      report: error => log.warn({ err: error }, 'could not look up new log entries; trying again'),
    }),
  };
  const journalState = { isShared: journal !== null, findProblem: () => findProblem(logStore) };
  const findLogLoss = () => logStore.findLoss()?.sentence ?? null;
  return { logStore, logDeps: { ...ingestDeps, ...reading, journal: journalState, findLogLoss } };
}

async function openAccess(deps: AccessDeps, config: Config, secret: string): Promise<AccessDirectory> {
  await ensureDefaultProject({ ...deps, announceChange: async () => undefined });
  const { media, logs } = config.fixedTokens;
  const fixed: Token[] = [];
  if (media !== null) fixed.push(makeFixedToken('media', media, secret));
  if (logs !== null) fixed.push(makeFixedToken('logs', logs, secret));
  return AccessDirectory.open(deps, fixed);
}
