/**
 * Keeps a copy of all tokens and projects in memory, and checks every credential against it. The copy refreshes by revision several times a
 * second and is trusted only while it is younger than a second. While the database is away, no token can be revoked, so the copy stays valid
 * for some minutes. A token that is missing from the copy is looked up once more. All callers that wait for that share one small query, so a
 * wrong token costs no more than a hash.
 */
import { Failure } from '@tapedeck/values/failure';
import { hashToken } from '@tapedeck/values/random-ids';
import type { SingleStoreHealth } from '../operations/storeHealth.ts';
import type { Clock } from '../ports/clock.ts';
import type { MetadataStore, Project, Token } from '../ports/metadata.ts';
import { type DomainIndex, indexDomains, rewritePath } from '../projects/customDomains.ts';
import type { SdkDirectory } from '../projects/sdkSessions.ts';
import { limits, ServiceError } from '../vocabulary.ts';
import type { TokenPrincipal } from './principals.ts';
import { datasetsOfSession, noScopes, readScopes, type Scopes } from './scopes.ts';

const refreshIntervalMs = 250; // four chances to see a revocation within a second
const copyAgeMsMax = 900; // CONTRACT.md, 2: within a second, including the answer's way back
export const trustMsMax = 300_000; // CONTRACT.md, 13: known tokens work this long while the database is away
const usesFlushIntervalMs = 5_000; // one write covers all tokens used meanwhile
const absentLookMsMax = 500; // while the database is known to be away
const answerMsMax = 5_000; // a database silent for longer counts as unreachable

type KnownToken = { token: Token; scopes: Scopes };
export type AccessDeps = {
  store: MetadataStore;
  clock: Clock;
  sdk: SdkDirectory;
  ownHosts: readonly string[];
  /** Whether the database answers. */
  database: SingleStoreHealth;
};

export class AccessDirectory implements AsyncDisposable {
  readonly #deps: AccessDeps;
  readonly #tokens = new Map<string, KnownToken>();
  readonly #tokensById = new Map<string, KnownToken>();
  readonly #projects = new Map<string, Project>();
  #domains: DomainIndex = new Map();
  readonly #uses = new Map<string, number>();
  readonly #timers: NodeJS.Timeout[] = [];
  #revision = 0;
  #freshAt = Number.NEGATIVE_INFINITY;
  #freshSince = 0; // the same in Unix milliseconds
  #running: Promise<void> | null = null;
  #next: Promise<void> | null = null;

  private constructor(deps: AccessDeps) {
    this.#deps = deps;
  }

  static async open(deps: AccessDeps, fixedTokens: readonly Token[]): Promise<AccessDirectory> {
    const directory = new AccessDirectory(deps);
    for (const token of fixedTokens) directory.#remember(token);
    await directory.refresh();
    // After failed refreshes the copy becomes too old to be trusted.
    directory.#timers.push(
      setInterval(() => void directory.refresh().catch(() => undefined), refreshIntervalMs).unref(),
    );
    directory.#timers.push(
      setInterval(() => void directory.flushUses().catch(() => undefined), usesFlushIntervalMs).unref(),
    );
    return directory;
  }

  /** Returns the principal behind a token or throws a `token_…` error. */
  async authenticate(text: string): Promise<TokenPrincipal> {
    const now = this.#deps.clock.now();
    const tokenHash = hashBounded(text);
    let known = this.#tokens.get(tokenHash);
    const sessionId = known === undefined ? this.#deps.sdk.recognise(text) : null;
    if (sessionId !== null) return this.#admitSession(sessionId, text);
    if (known === undefined || this.#isOld()) {
      await this.#lookAgain(known !== undefined);
      known = this.#tokens.get(tokenHash);
    }
    const project = known && this.#projects.get(known.token.project);
    if (known === undefined || project === undefined) {
      throw new ServiceError('token_unknown', 'This token is not known; check it, or create a new one.');
    }
    requireAlive(known.token, project, now);
    this.#uses.set(known.token.id, now);
    return toPrincipal(known, project);
  }

  /** Returns the principal if the copy knows the token; null: ask the database. */
  recall(text: string): TokenPrincipal | null {
    const known = this.#tokens.get(hashBounded(text));
    const project = known && this.#projects.get(known.token.project);
    if (known === undefined || project === undefined) return null;
    if (this.#isOld()) return null;
    const now = this.#deps.clock.now();
    if (findEnd(known.token, project, now) !== null) return null;
    this.#uses.set(known.token.id, now);
    return toPrincipal(known, project);
  }

  async #admitSession(id: string, text: string): Promise<TokenPrincipal> {
    const session = await this.#deps.sdk.findLiving(id).catch(refuseUnlessExpected);
    // A token that another node just made may already have reported a session.
    const knowsTokens = this.#knowsTokens(session.tokenIds);
    if (this.#isOld() || !knowsTokens) await this.#lookAgain(knowsTokens);
    const project = this.findProject(session.project);
    if (project === null)
      throw new ServiceError('token_revoked', 'The project of this session has been deleted.');
    const scopes = this.narrowSession(session.tokenIds);
    const prefix = text.slice(0, 4);
    return {
      kind: 'token',
      id,
      tokenKind: 'sdk',
      name: 'SDK session',
      prefix,
      project,
      scopes,
      countedAs: session.tokenIds.toSorted()[0] ?? id,
      expiresAt: session.expiresAt,
    };
  }

  /** Finds a token in the copy, even a revoked one. */
  findToken(id: string): Token | null {
    return this.#tokensById.get(id)?.token ?? null;
  }

  /** Whether all tokens are valid. Refreshes the copy if one is missing. */
  async areTokensAlive(ids: readonly string[]): Promise<boolean> {
    const knowsTokens = this.#knowsTokens(ids);
    if (this.#isOld() || !knowsTokens) await this.#lookAgain(knowsTokens);
    return ids.length > 0 && ids.every(id => this.#isTokenAlive(id));
  }

  /** Whether the copy is trusted: it is fresh, or the database is away and it was fresh recently. */
  get isTrusted(): boolean {
    return !this.#isOld();
  }

  #isOld(): boolean {
    const isFresh = performance.now() - this.#freshAt <= copyAgeMsMax;
    return !isFresh && !(this.#deps.database.isUnavailable() && this.#isRecent());
  }

  #isRecent(): boolean {
    const staleMs = this.#deps.clock.now() - this.#freshSince;
    return staleMs <= trustMsMax && performance.now() - this.#freshAt <= trustMsMax;
  }

  #knowsTokens(ids: readonly string[]): boolean {
    return ids.every(id => this.#tokensById.has(id));
  }

  #isTokenAlive(id: string): boolean {
    const token = this.findToken(id);
    const project = token && this.#projects.get(token.project);
    return !!project && findEnd(token, project, this.#deps.clock.now()) === null;
  }

  /** Returns a session's scopes: the intersection over the tokens that reported it, all of which must be valid. */
  narrowSession(tokenIds: readonly string[]): Scopes {
    const narrowings: ReadonlySet<string>[] = [];
    if (!tokenIds.length) throw sessionOverError();
    for (const id of tokenIds) {
      const reporter = this.#tokensById.get(id);
      if (reporter === undefined || !this.#isTokenAlive(id)) throw sessionOverError();
      const datasets = datasetsOfSession(reporter.scopes);
      if (datasets !== null) narrowings.push(datasets);
    }
    const [first, ...others] = narrowings;
    if (first === undefined) return noScopes;
    return { ...noScopes, datasets: others.reduce((all, own) => all.intersection(own), first) };
  }

  /** Finds a project that is not deleted, in the copy. */
  findProject(slug: string): Project | null {
    const project = this.#projects.get(slug);
    return project && project.deletedAt === null ? project : null;
  }

  /** Lists projects that are not deleted, from the copy. */
  listProjects(): Project[] {
    return [...this.#projects.values()].filter(({ deletedAt }) => deletedAt === null);
  }

  /** Under a project's custom domain, `/<project>/<key>` means `/media/<project>/<key>`. Other paths stay as they are. */
  rewritePath(path: string, host = ''): string {
    return this.#domains.size === 0 ? path : rewritePath(this.#domains, path, host);
  }

  /** Resolves once the copy contains everything acknowledged before the call. */
  refresh(): Promise<void> {
    if (this.#running === null) {
      this.#running = this.#readChanges().finally(() => {
        this.#running = null;
      });
      return this.#running;
    }
    // The running refresh may have read already; callers meanwhile share the next one.
    this.#next ??= this.#running
      .catch(() => undefined)
      .then(() => {
        this.#next = null;
        return this.refresh();
      });
    return this.#next;
  }

  /** Saves when tokens were last used. */
  async flushUses(): Promise<void> {
    const uses = [...this.#uses].map(([id, usedAt]) => ({ id, usedAt }));
    this.#uses.clear();
    if (uses.length === 0) return;
    try {
      await this.#deps.store.write(records => records.tokens.recordUses(uses));
    } catch (error) {
      for (const { id, usedAt } of uses) if (!this.#uses.has(id)) this.#uses.set(id, usedAt);
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    await this.#running?.catch(() => undefined);
    // An unreachable database must not keep the service from stopping.
    await this.flushUses().catch(() => undefined);
  }

  /** Refreshes the copy now. Throws if that fails, unless the token is known and the database is away. */
  async #lookAgain(isKnown: boolean): Promise<void> {
    const late = Promise.withResolvers<never>();
    const { database } = this.#deps;
    const patienceMs = database.isUnavailable() ? absentLookMsMax : answerMsMax;
    const timer = setTimeout(() => late.reject(new Error('The database did not respond.')), patienceMs);
    const isUnavailable = isKnown ? database.look() : Promise.resolve(false);
    try {
      await Promise.race([this.refresh(), late.promise]);
    } catch (cause) {
      if ((await isUnavailable) && this.#isRecent()) return;
      throw new ServiceError('unavailable', 'Tokens cannot be checked right now; try again in a moment.', {
        retryAfterSeconds: 1,
        cause,
      });
    } finally {
      clearTimeout(timer);
    }
  }

  async #readChanges(): Promise<void> {
    const startedAt = performance.now();
    const changes = await this.#deps.store.readAccessChanges(this.#revision);
    for (const project of changes.projects) this.#projects.set(project.slug, project);
    if (changes.projects.length > 0)
      this.#domains = indexDomains(this.#projects.values(), this.#deps.ownHosts);
    for (const token of changes.tokens) this.#remember(token);
    this.#revision = changes.revision;
    this.#freshAt = startedAt;
    this.#freshSince = this.#deps.clock.now();
  }

  #remember(token: Token): void {
    const known = { token, scopes: readScopes(token.scopes, token.kind) };
    this.#tokens.set(token.hash, known);
    this.#tokensById.set(token.id, known);
  }
}

/** Passes expected errors on. Any other error means that the database is unreachable: `unavailable`. */
function refuseUnlessExpected(cause: unknown): never {
  if (cause instanceof Failure) throw cause;
  throw new ServiceError('unavailable', 'Sessions cannot be checked right now; try again in a moment.', {
    cause,
  });
}

function sessionOverError(): ServiceError {
  return new ServiceError('token_revoked', 'The token behind this session has ended; report again.');
}

function hashBounded(text: string): string {
  return text.length > limits.tokenCharactersMax ? '' : hashToken(text);
}

function requireAlive(token: Token, project: Project, now: number): void {
  const end = findEnd(token, project, now);
  if (end === null) return;
  const how = end === 'token_revoked' ? 'has been revoked' : 'has expired';
  throw new ServiceError(end, `This token ${how}; create a new one.`);
}

function findEnd(token: Token, project: Project, now: number): 'token_revoked' | 'token_expired' | null {
  if (token.revokedAt !== null || project.deletedAt !== null) return 'token_revoked';
  return token.expiresAt !== null && token.expiresAt <= now ? 'token_expired' : null;
}

function toPrincipal({ token, scopes }: KnownToken, project: Project): TokenPrincipal {
  const { id, kind, name, prefix, expiresAt } = token;
  return { kind: 'token', id, tokenKind: kind, name, prefix, project, scopes, countedAs: id, expiresAt };
}
