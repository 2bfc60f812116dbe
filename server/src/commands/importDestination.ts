/**
 * Finds the service that receives an import: the one running on this machine, or one started for the import. Either way the data go through its API,
 * so all rules for uploads and log entries hold.
 */
import { createClient } from '@tapedeck/client';
import { createToken, revokeToken } from '@tapedeck/domain/identity/tokens';
import { dayMs } from '@tapedeck/domain/instants';
import { systemClock } from '@tapedeck/domain/ports/clock';
import { findProjectCalled } from '@tapedeck/domain/projects/projects';
import type { TokenKind } from '@tapedeck/domain/vocabulary';
import type { Destination } from '@tapedeck/importing/destination';
import { Remote } from '@tapedeck/importing/remote';
import type { ImportState } from '@tapedeck/importing/state';
import pino from 'pino';
import type { Config } from '../config.ts';
import { findAddress, prepareDataDirectory } from '../stores/dataDirectory/dataDirectory.ts';
import { commandLine, withStore } from './command.ts';

const tokenName = 'tapedeck import';
const tokenMs = 30 * dayMs; // longer than any import takes; the token is revoked when the import ends
const patience = { retryForMs: 120_000, requestTimeoutMs: 60_000 }; // the service may restart meanwhile

type Wanted = { kind: Extract<TokenKind, 'media' | 'logs'>; project: string };

export async function openDestination(
  config: Config,
  state: ImportState,
  wanted: Wanted,
): Promise<Destination> {
  await using opened = new AsyncDisposableStack();
  const baseUrl = await findService(config, opened);
  const kept = await state.readToken();
  const isSameToken = kept !== null && (await isAccepted({ baseUrl, token: kept.text }, wanted.kind));
  const made = isSameToken ? kept : await makeToken(config, wanted);
  if (!isSameToken) await state.keepToken(made);
  const running = opened.move();
  return {
    remote: new Remote({ baseUrl, token: made.text }, patience),
    project: made.project,
    isSameToken,
    finish: async () => {
      await withStore(config, deps => revokeToken(deps, commandLine, { id: made.id, project: null }));
      await state.forgetToken();
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

async function findService(config: Config, opened: AsyncDisposableStack): Promise<string> {
  await prepareDataDirectory(config.dataDir);
  const running = await findAddress(config.dataDir);
  if (running !== null) return running;
  const { startService } = await import('../app.ts');
  const publicUrl = config.publicUrl ?? `http://localhost:${config.port}`; // for the URLs that the service returns
  const own = { ...config, host: '127.0.0.1', port: 0, publicUrl };
  return opened.use(await startService(own, { log: pino({ level: 'silent' }) })).url;
}

async function isAccepted(
  { baseUrl, token }: { baseUrl: string; token: string },
  kind: Wanted['kind'],
): Promise<boolean> {
  const client = createClient({ baseUrl, token });
  const query = { limit: 1 };
  const answer = kind === 'media' ? client.listFiles({ query }) : client.queryLogs({ query });
  return answer.then(
    () => true,
    () => false,
  );
}

function makeToken(config: Config, { kind, project }: Wanted) {
  return withStore(config, async deps => {
    const { slug } = await findProjectCalled(deps, project);
    const scopes = ['read', 'write'];
    const expiresAt = systemClock.now() + tokenMs;
    const { text, token } = await createToken(deps, commandLine, {
      kind,
      name: tokenName,
      scopes,
      expiresAt,
      project: slug,
    });
    return { id: token.id, text, project: slug };
  });
}
