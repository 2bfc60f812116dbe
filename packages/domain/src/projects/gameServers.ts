/** Reads reports of game servers with a live session, and runs their actions for members. */
import { isObject } from '@tapedeck/values/json';
import { type Actor, requireRole } from '../identity/principals.ts';
import type { GameServerAnswer, GameServers } from '../ports/gameServers.ts';
import type { SdkSession, SdkSessions } from '../ports/sdkSessions.ts';
import { ServiceError } from '../vocabulary.ts';
import { type ManagementDeps, recordAction } from './auditedChanges.ts';
import { makeSessionToken } from './sdkSessions.ts';

export type GameServerDeps = Pick<ManagementDeps, 'store' | 'clock'> & {
  sdkSessions: Pick<SdkSessions, 'find'>;
  gameServers: GameServers;
  secret: string;
};

type ServerFact = { name: string; value: string };
type ServerAction = { id: string; title: string; fields: string[] };
/** `problem`: why the server reports nothing; null: it does. */
type ServerReport = { health: ServerFact[]; actions: ServerAction[]; problem: string | null };
type ActionOutcome = { done: boolean; message: string };

const listedMax = 50; // facts or actions: enough for a screen
const textCharactersMax = 500;

type SessionPlace = Pick<SdkSession, 'id' | 'project'>;

export async function readServerReport(deps: GameServerDeps, place: SessionPlace): Promise<ServerReport> {
  const { address, token } = await findServer(deps, place);
  const ask = (path: string) => deps.gameServers.ask({ url: `${address}/${path}`, token, fields: null });
  const [health, actions] = await Promise.all([ask('health'), ask('actions')]);
  const problem = describeProblem(health);
  if (problem !== null) return { health: [], actions: [], problem };
  return { health: readFacts(health), actions: readActions(actions), problem: null };
}

export async function runServerAction(
  deps: GameServerDeps,
  actor: Actor,
  { action, fields, ...place }: SessionPlace & { action: string; fields: Readonly<Record<string, string>> },
): Promise<ActionOutcome> {
  const { id, project } = place;
  requireRole(actor, project, 'member');
  const { address, token } = await findServer(deps, place);
  // The audit entry comes first, so that every action has one.
  await recordAction(deps, actor, { project, action: 'session.action', target: id, details: { action } });
  const url = `${address}/actions/${encodeURIComponent(action)}`;
  const answer = await deps.gameServers.ask({ url, token, fields });
  const problem = describeProblem(answer);
  if (problem !== null) return { done: false, message: problem };
  const { message } = readObject(answer);
  return { done: true, message: typeof message === 'string' ? cut(message) : '' };
}

/** Finds the server on which the session's resource listens. */
async function findServer(
  { sdkSessions, secret, clock }: GameServerDeps,
  { id, project }: SessionPlace,
): Promise<{ address: string; token: string }> {
  const session = await sdkSessions.find(id);
  if (session === null || session.project !== project || session.expiresAt <= clock.now())
    throw new ServiceError('not_found', 'There is no such session; it may have ended.');
  const { identity } = session;
  if (identity.sdkType !== 'server_a')
    throw new ServiceError(
      'not_found',
      'Servers of this platform have no address, so the service cannot reach them.',
    );
  const endpoint = /^https?:\/\//i.test(identity.endpoint)
    ? identity.endpoint
    : `http://${identity.endpoint}`;
  const address = `${endpoint.replace(/\/+$/, '')}/${encodeURIComponent(identity.resourceName)}`;
  return { address, token: makeSessionToken(secret, id) };
}

function describeProblem(answer: GameServerAnswer): string | null {
  if (!answer.isAnswered) return answer.sentence;
  if (answer.status >= 200 && answer.status < 300) return null;
  const { error } = readObject(answer);
  return `The server answered ${answer.status}${typeof error === 'string' ? `: ${cut(error)}` : '.'}`;
}

function readObject(answer: GameServerAnswer): Record<string, unknown> {
  try {
    const value: unknown = answer.isAnswered ? JSON.parse(answer.body) : null;
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

function readFacts(answer: GameServerAnswer): ServerFact[] {
  const facts = Object.entries(readObject(answer)).filter(([, value]) =>
    ['string', 'number', 'boolean'].includes(typeof value),
  );
  return facts.slice(0, listedMax).map(([name, value]) => ({ name: cut(name), value: cut(String(value)) }));
}

/** Accepts a list, or an object with the list under `actions`. */
function readActions(answer: GameServerAnswer): ServerAction[] {
  const listed = readList(answer).filter(isObject).slice(0, listedMax);
  return listed.flatMap(({ id, title, name, fields }) => {
    if (typeof id !== 'string' || id === '') return [];
    const shown = [title, name].find(each => typeof each === 'string') ?? id;
    const names = Array.isArray(fields) ? fields.filter(field => typeof field === 'string') : [];
    return [{ id: cut(id), title: cut(String(shown)), fields: names.slice(0, listedMax).map(cut) }];
  });
}

function readList(answer: GameServerAnswer): unknown[] {
  try {
    const value: unknown = answer.isAnswered && answer.status === 200 ? JSON.parse(answer.body) : [];
    if (Array.isArray(value)) return value;
    return isObject(value) && Array.isArray(value.actions) ? value.actions : [];
  } catch {
    return [];
  }
}

function cut(text: string): string {
  return text.slice(0, textCharactersMax).toWellFormed();
}
