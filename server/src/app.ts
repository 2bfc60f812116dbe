/** The composition root: builds the stores, the domain and the server from the configuration. Nothing else builds. */
import path from 'node:path';
import { openPasswords, type Passwords } from '@tapedeck/domain/identity/passwords';
import { ensureOwner, isSetUp, makeSetUpCode } from '@tapedeck/domain/identity/setUp';
import { type Clock, systemClock } from '@tapedeck/domain/ports/clock';
import type { ManagementDeps } from '@tapedeck/domain/projects/auditedChanges';
import { ProjectCounts } from '@tapedeck/domain/projects/projectCounts';
import { openSdkDirectory } from '@tapedeck/domain/projects/sdkSessions';
import { listOwnHosts } from '@tapedeck/domain/reservedNames';
import { openClientAddresses } from '@tapedeck/web/client-addresses';
import type { Logger } from 'pino';
import { openAccess } from './composition/access.ts';
import { openAuthMethods } from './composition/authMethods.ts';
import { openCoreStores } from './composition/coreStores.ts';
import { type EarlyStart, startEarly } from './composition/earlyStart.ts';
import { openFiles } from './composition/files.ts';
import { openLogs } from './composition/logs.ts';
import { openMetrics } from './composition/metrics.ts';
import { openStatus } from './composition/status.ts';
import { openStoreHealth } from './composition/storeHealth.ts';
import { openTracing } from './composition/tracing.ts';
import type { Config } from './config.ts';
import { listen, nameHost } from './http/connection/listening.ts';
import { openFastPath } from './http/fastPath.ts';
import { routeModules } from './http/routes.ts';
import { createServer, type Timeouts, usualTimeouts } from './http/server.ts';
import { openAlerting } from './jobs/alerts.ts';
import { listCleanupJobs } from './jobs/cleanup.ts';
import { openRateLimit } from './jobs/rateLimits.ts';
import { startJobs } from './jobs/scheduler.ts';
import { openListeners } from './listeners/listeners.ts';
import { openGameServers } from './stores/gameServers.ts';
import { version } from './version.ts';

export type Service = AsyncDisposable & {
  /** The address at which this process listens. */
  url: string;
  /** The prefix of the URLs that the service returns. */
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
export async function startService(config: Config, options: ServiceOptions): Promise<Service> {
  await using opened = new AsyncDisposableStack();
  const { deps, rateLimit, watch } = await openParts(config, options, opened);
  const { log, timeouts } = options;
  const times = { ...usualTimeouts, ...timeouts };
  const server = await createServer({
    ...deps,
    log,
    timeouts: times,
    rateLimit,
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
  for (const each of [deps.tails, deps.folderMover]) opened.use(each);
  const port = await listen(server.app, config);
  if (config.publicUrl === null) deps.address.publicUrl = `http://localhost:${port}`; // the configured port may be 0
  const setUpCode = (await isSetUp(deps)) ? null : makeSetUpCode(deps.secret);
  const running = opened.move();
  return {
    url: `http://${nameHost(config.host)}:${port}`,
    publicUrl: deps.address.publicUrl,
    setUpCode,
    leave: () => watch.leave(),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** Opens everything that requests are answered with, and the background jobs. */
async function openParts(
  config: Config,
  { log, clock = systemClock, passwords = openPasswords(), signal, held }: ServiceOptions,
  opened: AsyncDisposableStack,
) {
  const { engine } = opened.use(held ?? (await startEarly(config, { log, signal })));
  const tracing = openTracing(config.traces, { log, opened }); // closes last, to trace the others' shutdown
  const core = await openCoreStores(config, opened);
  const { secret, store } = core;
  const { watch, outageLog } = openStoreHealth(log, store, opened);
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
    ...management,
    ...fileDeps,
    ...logDeps,
    ...alerting,
    ...status,
    ...openAuthMethods(config),
    ownHosts,
    sdkSessions: sdk.sessions,
    sdkSessionMs: config.sdkSessionMs,
    gameServers: openGameServers(config),
    findClientAddress: openClientAddresses(config.trustedProxies),
    access,
    secret,
    version,
    address,
    metrics,
    counts,
    tracer: tracing.tracer,
  };
  return { deps, rateLimit, watch };
}
