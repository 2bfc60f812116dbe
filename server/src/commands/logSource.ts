/** Finds the service that `tapedeck logs` reads from: the given one, or the one on this machine. */
import { ApiError, createClient, exportEntries, followEntries } from '@tapedeck/client';
import { Misuse } from '@tapedeck/command-line';
import { createToken, revokeToken } from '@tapedeck/domain/identity/tokens';
import { dayMs } from '@tapedeck/domain/instants';
import { systemClock } from '@tapedeck/domain/ports/clock';
import { findProjectCalled } from '@tapedeck/domain/projects/projects';
import { defaultProject } from '@tapedeck/domain/vocabulary';
import { type OpenedSource, pointAt, type Question } from '@tapedeck/log-terminal';
import { Failure } from '@tapedeck/values/failure';
import type { Config } from '../config.ts';
import { nameHost } from '../http/connection/listening.ts';
import { findAddress } from '../stores/dataDirectory/dataDirectory.ts';
import { type CommandArguments, commandLine, withStore } from './command.ts';

const ownTokenMs = 30 * dayMs; // longer than anyone follows entries; the token is revoked when the command ends

export async function openSource(
  config: Config,
  given: CommandArguments,
  { signal, ...filters }: Question,
): Promise<OpenedSource> {
  const own = await nameOwnService(config);
  const baseUrl = (given.text('url') ?? config.remote.url ?? own).replace(/\/+$/, '');
  const describeFailure = (error: unknown) => describe(error, { query: filters.query, baseUrl });
  const isOwn = [own, config.publicUrl].includes(baseUrl) || isSameHere(baseUrl, own);
  const { token, revoke } = await findToken(config, given, { baseUrl, isOwn }).catch(error => {
    throw describeFailure(error);
  });
  const settings = { baseUrl, token };
  const client = createClient(settings);
  return {
    describeFailure,
    readPage: async ({ order, limit, cursor }) => {
      const page = { order, limit, cursor: cursor ?? undefined };
      const { data, pagination } = await client.queryLogs({ query: { ...filters, ...page } }, { signal });
      return { entries: data, nextCursor: pagination.nextCursor };
    },
    readAll: order => exportEntries(settings, { query: { ...filters, order }, signal }),
    follow: () => followEntries(settings, { query: filters, signal }),
    [Symbol.asyncDispose]: revoke,
  };
}

async function nameOwnService({ dataDir, host, port }: Config): Promise<string> {
  return (await findAddress(dataDir)) ?? `http://${nameHost(host)}:${port}`;
}

/** Recognizes other names of this machine. */
function isSameHere(url: string, own: string): boolean {
  const here = ['localhost', '127.0.0.1', '[::1]'];
  if (!URL.canParse(url)) throw new Misuse('--url must be a URL such as http://localhost:8787.');
  const [one, other] = [new URL(url), new URL(own)];
  return one.port === other.port && here.includes(one.hostname) && here.includes(other.hostname);
}

type FoundToken = { token: string; revoke(): Promise<void> };

/** Makes a token for this command if the service runs on this machine. Otherwise the user must give one. */
async function findToken(
  config: Config,
  given: CommandArguments,
  { baseUrl, isOwn }: { baseUrl: string; isOwn: boolean },
): Promise<FoundToken> {
  const project = given.text('project');
  const fixed = isOwn && (project ?? defaultProject) === defaultProject ? config.fixedTokens.logs : null;
  const known = given.text('token') ?? config.remote.token;
  if (known !== null && project !== undefined)
    throw new Misuse('A token belongs to one project: leave out --project.');
  const token = known ?? fixed;
  if (token !== null) return { token, revoke: async () => {} };
  if (!isOwn)
    throw new Misuse(
      'A token is missing: give --token T or set TAPEDECK_TOKEN. `tapedeck token create --kind logs` creates one.',
    );
  await createClient({ baseUrl }).getHealth(); // makes no token for a service that is unreachable
  const made = await withStore(config, async deps => {
    const { slug } = await findProjectCalled(deps, project ?? defaultProject);
    const expiresAt = systemClock.now() + ownTokenMs;
    const input = {
      kind: 'logs',
      name: 'tapedeck logs',
      scopes: ['read'],
      expiresAt,
      project: slug,
    } as const;
    return createToken(deps, commandLine, input);
  });
  const which = { id: made.token.id, project: null };
  return { token: made.text, revoke: () => withStore(config, deps => revokeToken(deps, commandLine, which)) };
}

function describe(error: unknown, { query, baseUrl }: { query: string; baseUrl: string }): unknown {
  if (!(error instanceof ApiError)) return error;
  const { status, message, position } = error;
  if (position !== null) return new Misuse(`${message}\n${pointAt(query, position)}`);
  if (status === 400) return new Misuse(message);
  const unavailable = `No service answers at ${baseUrl}: start it, or give the address of another with --url.`;
  return new Failure('unavailable', error.code === 'unreachable' ? unavailable : message, { cause: error });
}
