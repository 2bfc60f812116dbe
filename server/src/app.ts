/** The composition root: configuration becomes stores, domain and server here, and nowhere else. */
import { access, constants, mkdir } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { Config } from './config.ts';
import { AccessDirectory, makeFixedToken } from './domain/access.ts';
import type { ManagementDeps } from './domain/management.ts';
import { type Clock, systemClock } from './domain/ports/clock.ts';
import type { MetadataStore, Token } from './domain/ports/metadata.ts';
import { ensureDefaultProject } from './domain/projects.ts';
import { ensureOwner, isSetUp, makeSetUpCode } from './domain/setUp.ts';
import { forgetStaleSignIns } from './domain/signInAttempts.ts';
import { handleAccounts } from './http/handlers/accounts.ts';
import { handleAudit } from './http/handlers/audit.ts';
import { handleProjects } from './http/handlers/projects.ts';
import { handleSystem } from './http/handlers/system.ts';
import { handleTokens } from './http/handlers/tokens.ts';
import { handleUsers } from './http/handlers/users.ts';
import { makeMetrics } from './http/metrics.ts';
import { makeRateLimit } from './http/rateLimit.ts';
import type { HandledRoute } from './http/registry.ts';
import { createServer } from './http/server.ts';
import { openMetadataStore } from './stores/metadata/store.ts';
import { keepSecret } from './stores/secretFile.ts';
import { version } from './version.ts';
import { defaultProject, limits, ServiceError } from './vocabulary.ts';

const staleSignInsIntervalMs = 3_600_000; // what they take up is small

export type Service = AsyncDisposable & {
  url: string;
  /** null once there is an owner. */
  setUpCode: string | null;
};

export type ServiceOptions = { log: Logger; clock?: Clock };

/** Serves until it is disposed of: then it stops accepting, ends what is in flight, and closes its stores. */
export async function startService(
  config: Config,
  { log, clock = systemClock }: ServiceOptions,
): Promise<Service> {
  await using opened = new AsyncDisposableStack();
  await requireWritable(config.dataDir);
  const secret = config.secret ?? (await keepSecret(config.dataDir));
  const store = opened.use(await openMetadataStore(config.database));
  const access = await openAccess({ store, clock }, config);
  opened.use(access);
  const management: ManagementDeps = { store, clock, announceChange: () => access.refresh() };
  if (config.firstOwner) await ensureOwner(management, { ...config.firstOwner, name: '' });
  opened.defer(repeat(log, staleSignInsIntervalMs, () => forgetStaleSignIns(management)));

  let url = '';
  const publicUrl = () => config.publicUrl ?? url;
  const metrics = makeMetrics(version);
  const deps = { ...management, access, secret, version, publicUrl, metrics };
  const app = await createServer({
    ...deps,
    log,
    rateLimit: config.requestsPerMinuteMax === null ? null : makeRateLimit(config.requestsPerMinuteMax),
    dashboardDirectory: path.join(import.meta.dirname, '../../dashboard/dist'),
    handled: handleEverything({ ...deps, checks: [{ name: 'database', ping: () => store.ping() }] }),
  });
  opened.defer(() => stopServer(app));
  url = await listen(app, config);

  const setUpCode = (await isSetUp(management)) ? null : makeSetUpCode(secret);
  const running = opened.move();
  return { url: publicUrl(), setUpCode, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

type HandlerDeps = Parameters<typeof handleAccounts>[0] & Parameters<typeof handleSystem>[0];

/** The rooms of the API. */
function handleEverything(deps: HandlerDeps): HandledRoute[] {
  return [
    ...handleSystem(deps),
    ...handleAccounts(deps),
    ...handleUsers(deps),
    ...handleProjects(deps),
    ...handleTokens(deps),
    ...handleAudit(deps),
  ];
}

async function openAccess(
  deps: { store: MetadataStore; clock: Clock },
  config: Config,
): Promise<AccessDirectory> {
  await ensureDefaultProject({ ...deps, announceChange: async () => undefined });
  const { media, logs } = config.fixedTokens;
  const fixed: Token[] = [];
  if (media !== null) fixed.push(makeFixedToken('media', media, defaultProject));
  if (logs !== null) fixed.push(makeFixedToken('logs', logs, defaultProject));
  return AccessDirectory.open(deps, fixed);
}

async function requireWritable(directory: string): Promise<void> {
  try {
    await mkdir(directory, { recursive: true });
    await access(directory, constants.W_OK | constants.X_OK);
  } catch (cause) {
    const sentence = `The data directory ${directory} cannot be written to; set TAPEDECK_DATA_DIR to one that can.`;
    throw new ServiceError('unavailable', sentence, { cause });
  }
}

/** Resolves to the URL under which this machine reaches the service. */
async function listen(app: FastifyInstance, { host, port }: Config): Promise<string> {
  try {
    await app.listen({ host, port, backlog: 4096 }); // a burst of connections waits rather than fails
  } catch (cause) {
    throw new ServiceError('unavailable', describeListenFailure(cause, host, port), { cause });
  }
  // A string would be a socket's path, and none is listened on.
  return `http://localhost:${(app.server.address() as AddressInfo).port}`;
}

function describeListenFailure(cause: unknown, host: string, port: number): string {
  const { code } = cause as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE')
    return `Port ${port} is in use; set TAPEDECK_PORT to another, or stop what listens there.`;
  if (code === 'EACCES')
    return `Port ${port} may not be used without more rights; set TAPEDECK_PORT to one above 1023.`;
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return `This machine has no address ${host}; set TAPEDECK_HOST to one of its own, or to 0.0.0.0.`;
  }
  return `It is not possible to listen on ${host}, port ${port} (${code}); set TAPEDECK_HOST and TAPEDECK_PORT.`;
}

/** What is in flight may end; what has not after the grace is cut off. */
async function stopServer(app: FastifyInstance): Promise<void> {
  const cutOff = setTimeout(() => app.server.closeAllConnections(), limits.stopGraceMsMax);
  await app.close();
  clearTimeout(cutOff);
}

/** Runs the work now and then; a failure is logged and the next turn tries again. Returns what ends it. */
function repeat(log: Logger, intervalMs: number, work: () => Promise<void>): () => Promise<void> {
  let running = Promise.resolve();
  const timer = setInterval(() => {
    running = running
      .then(work)
      .catch(error => log.warn({ err: error }, 'background work failed; it will be tried again'));
  }, intervalMs).unref();
  return () => {
    clearInterval(timer);
    return running;
  };
}
