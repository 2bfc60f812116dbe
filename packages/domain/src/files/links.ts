/** Signed links: give access to one private file for a while, as long as their maker has access. */
import { createHmac } from 'node:crypto';
import { isSameSecret } from '@tapedeck/values/random-ids';
import type { TokenPrincipal, UserReader } from '../identity/principals.ts';
import type { Clock } from '../ports/clock.ts';
import type { StoredFile } from '../ports/files.ts';
import { ServiceError } from '../vocabulary.ts';
import { noFileError } from './fileLookup.ts';
import { endWithMaker, type GrantMaker, isMakerAlive, type MakerDeps, nameMaker } from './presignedMakers.ts';

export const linkSecondsDefault = 15 * 60; // CONTRACT.md, 15.1

type LinkParameters = { expires?: string | undefined; signature?: string | undefined };

/** `query` has no question mark; `expiresAt` is in Unix milliseconds. */
export function signLink(
  { secret, clock }: { secret: string; clock: Clock },
  maker: TokenPrincipal | UserReader,
  { file, seconds }: { file: StoredFile; seconds: number },
): { query: string; expiresAt: number } {
  const wanted = Math.ceil(clock.now() / 1000) * 1000 + seconds * 1000;
  const expiresAt = endWithMaker(maker, wanted);
  const { kind, id } = nameMaker(maker);
  const signer = `${kind === 'token' ? 't' : 'u'}${id}`;
  const expires = String(expiresAt / 1000);
  const signature = `${signer}.${sign(secret, file, { expires, signer })}`;
  return { query: `expires=${expires}&signature=${signature}`, expiresAt };
}

export type LinkDeps = MakerDeps & { secret: string; clock: Clock };

/** Throws `not_found` unless the link was signed for this file, and `link_expired` if it is over. */
export async function requireLink(
  deps: LinkDeps,
  file: StoredFile,
  { expires = '', signature = '' }: LinkParameters,
): Promise<void> {
  const [signer = '', mac = '', ...more] = signature.split('.');
  const isSigned = more.length === 0 && isSameSecret(mac, sign(deps.secret, file, { expires, signer }));
  // To others, private files seem not to exist.
  if (!isSigned) throw noFileError();
  if (Number(expires) * 1000 <= deps.clock.now())
    throw endedError('This link has expired; ask for a new one.');
  const maker: GrantMaker = { kind: signer.startsWith('t') ? 'token' : 'user', id: signer.slice(1) };
  if (!(await isMakerAlive(deps, { maker, project: file.project, role: 'viewer' })))
    throw endedError('The person who made this link can no longer read the file. Ask for a new link.');
}

function endedError(sentence: string): ServiceError {
  return new ServiceError('link_expired', sentence);
}

/** Uses a separate key, so that signatures for other purposes never pass for links. */
function sign(
  secret: string,
  { project, id }: StoredFile,
  { expires, signer }: { expires: string; signer: string },
): string {
  const key = createHmac('sha256', secret).update('file links').digest();
  return createHmac('sha256', key).update([project, id, expires, signer].join('\0')).digest('base64url');
}
