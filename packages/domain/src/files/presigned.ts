/** Presigned tokens: a signed, limited right to upload for clients without an API token. */
import { createHmac } from 'node:crypto';
import { isSameSecret, newId } from '@tapedeck/values/random-ids';
import type { AccessDirectory } from '../identity/access.ts';
import { dayMs } from '../instants.ts';
import type { Clock } from '../ports/clock.ts';
import type { PresignedUses } from '../ports/files.ts';
import type { Project } from '../ports/metadata.ts';
import { invalidFieldError, limits, type MediaType, mediaTypes, ServiceError } from '../vocabulary.ts';
import { type FileMetadata, parseFileMetadata } from './fileMetadata.ts';
import type { UploadPermission } from './permissions.ts';
import { type GrantMaker, type MakerDeps, requireLivingMaker } from './presignedMakers.ts';

/** A token's permissions. Its payload contains the same, under the names that existing clients read. */
export type Grant = {
  id: string;
  project: string;
  /** The token ends with its maker. null: an older version made the URL. */
  maker: GrantMaker | null;
  /** Unix milliseconds, whole seconds. */
  expiresAt: number;
  usesMax: number;
  /** Of `PresignedUses`, if it lay beyond the end of the URL when it was made; null: it did not. */
  forgottenUntil: number | null;
  type: MediaType | null;
  /** The form field for the file, in versions that name it; null: any. */
  fieldName: string | null;
  path: string;
  bytesMax: number | null;
  /** Metadata for every file uploaded through the URL; merged with the uploader's. */
  metadata: FileMetadata;
  /** The maker uploads a file through it themselves, so the audit log names the file. */
  isOwn: boolean;
};

type SigningDeps = { secret: string; clock: Clock };

export type PresignDeps = SigningDeps & { presignedUses: PresignedUses };

const expiryMsMax = 7 * dayMs; // CONTRACT.md, 3
const millisecondsFrom = 100_000_000_000; // the year 5138 in seconds; larger numbers are milliseconds
const jwtHeader = encode({ alg: 'HS256', typ: 'JWT' });

/** Accepts Unix seconds or milliseconds, since clients send both; without either, the default applies. */
export function chooseExpiry(
  { clock }: Pick<SigningDeps, 'clock'>,
  given: number | undefined,
  defaultMs: number,
): number {
  const now = clock.now();
  if (given === undefined) return Math.floor((now + defaultMs) / 1000) * 1000;
  const at = Math.abs(given) >= millisecondsFrom ? Math.floor(given / 1000) * 1000 : given * 1000;
  if (at <= now)
    throw invalidFieldError('expiresAt', 'expiresAt is in the past; it is a Unix time in seconds.');
  if (at > now + expiryMsMax) throw invalidFieldError('expiresAt', 'expiresAt may be at most 7 days ahead.');
  return at;
}

/** Limits the size, because the metadata is part of the URL, and proxies limit URLs. */
export function parseBoundMetadata(text: string): FileMetadata {
  if (Buffer.byteLength(text) > limits.presignedMetadataBytesMax) {
    const sentence = `The metadata of an upload URL may take at most ${limits.presignedMetadataBytesMax} bytes.`;
    throw new ServiceError('metadata_invalid', sentence, { field: 'metadata' });
  }
  return parseFileMetadata(text);
}

/** Returns what a new token must say so that it is not taken for one whose uses were forgotten. */
export async function findForgotten(
  { presignedUses }: Pick<PresignDeps, 'presignedUses'>,
  expiresAt: number,
): Promise<number | null> {
  const forgottenUntil = await presignedUses.findForgottenUntil();
  return forgottenUntil !== null && forgottenUntil >= expiresAt ? forgottenUntil : null;
}

export function writePresignedToken({ secret, clock }: SigningDeps, grant: Omit<Grant, 'id'>): string {
  const payload = encode({
    teamId: grant.project,
    iat: Math.floor(clock.now() / 1000),
    exp: grant.expiresAt / 1000,
    jti: newId(),
    uses: grant.usesMax,
    ...(grant.forgottenUntil !== null && { forgotten: grant.forgottenUntil / 1000 }),
    ...(grant.maker?.kind === 'token' && { maker: grant.maker.id }),
    ...(grant.maker?.kind === 'user' && { user: grant.maker.id }),
    ...(grant.type !== null && { type: grant.type }),
    ...(grant.fieldName !== null && { field: grant.fieldName }),
    ...(grant.path !== '' && { path: grant.path }),
    ...(grant.bytesMax !== null && { maxSize: grant.bytesMax }),
    ...(Object.keys(grant.metadata).length > 0 && { metadata: grant.metadata }),
    ...(grant.isOwn && { own: true }),
  });
  return `${jwtHeader}.${payload}.${sign(secret, `${jwtHeader}.${payload}`)}`;
}

export type RedeemDeps = PresignDeps &
  MakerDeps & {
    access: AccessDirectory;
    /** Called if a use could not be given back. The uploader gets the error of the upload instead. */
    reportLostUse(error: unknown): void;
  };

/** Reads the token's permissions and project; claims no use. An upload begun in time may continue while its maker has access. */
export async function readPresignedToken(
  deps: Omit<RedeemDeps, 'presignedUses' | 'reportLostUse'>,
  token: string,
  { isBegun = false } = {},
): Promise<{ grant: Grant; project: Project }> {
  const [head = '', payload = '', signature = '', ...more] = token.split('.');
  if (more.length > 0 || !isSameSecret(signature, sign(deps.secret, `${head}.${payload}`))) throw unknown();
  const grant = readGrant(payload);
  const project = deps.access.findProject(grant.project);
  if (project === null) throw unknown();
  if (!isBegun && grant.expiresAt <= deps.clock.now()) {
    throw expired();
  }
  await requireLivingMaker(deps, grant);
  return { grant, project };
}

/** Returns how many uploads the token has left; throws if none. Claims no use. */
export async function requireUsesLeft(
  { presignedUses }: Pick<RedeemDeps, 'presignedUses'>,
  grant: Grant,
): Promise<number> {
  const { id, usesMax } = grant;
  await requireCount({ presignedUses }, grant);
  const remaining = usesMax - (await presignedUses.count(id));
  if (remaining > 0) return remaining;
  throw usedUp();
}

/** Claims one use of the token. The upload gives it back if it fails. */
export async function claimUse(
  { presignedUses }: Pick<RedeemDeps, 'presignedUses'>,
  grant: Grant,
): Promise<void> {
  const { id: tokenId, usesMax, expiresAt, forgottenUntil } = grant;
  if (await presignedUses.claim({ tokenId, usesMax, expiresAt, forgottenUntil })) return;
  await requireCount({ presignedUses }, grant);
  throw usedUp();
}

/** Throws if the uses of the token may have been forgotten because a clock was ahead: nobody knows whether any are left. */
async function requireCount(
  { presignedUses }: Pick<RedeemDeps, 'presignedUses'>,
  { expiresAt, forgottenUntil: known }: Grant,
): Promise<void> {
  const forgottenUntil = await presignedUses.findForgottenUntil();
  if (forgottenUntil !== null && expiresAt <= forgottenUntil && known !== forgottenUntil) throw expired();
}

export async function refundUse(
  { presignedUses, reportLostUse }: Pick<RedeemDeps, 'presignedUses' | 'reportLostUse'>,
  { id }: Pick<Grant, 'id'>,
): Promise<void> {
  await presignedUses.giveBack(id).catch(reportLostUse);
}

/** Allows the bound folder and its subfolders. No path means the bound folder. */
export function permitByGrant({ type, path: bound, metadata }: Grant): UploadPermission {
  return {
    boundMetadata: metadata,
    requireType: found => {
      if (type === null || found === type) return;
      throw new ServiceError(
        'unsupported_media',
        `This upload URL is for ${type} files; this one is ${found}.`,
      );
    },
    choosePath: path => {
      if (path === '' || bound === '' || path === bound || path.startsWith(`${bound}/`))
        return path === '' ? bound : path;
      throw new ServiceError('presigned_narrower', `This upload URL is for the folder ${bound}.`);
    },
  };
}

/** The signature is valid, so `writePresignedToken` wrote the payload. */
function readGrant(payload: string): Grant {
  const { teamId, exp, jti, uses, forgotten, maker, user, type, field, path, maxSize, metadata, own } =
    JSON.parse(Buffer.from(payload, 'base64url').toString());
  return {
    id: jti,
    project: teamId,
    expiresAt: exp * 1000,
    usesMax: uses,
    forgottenUntil: forgotten === undefined ? null : forgotten * 1000,
    maker: readMaker(maker, user),
    type: mediaTypes.find(known => known === type) ?? null,
    fieldName: field ?? null,
    path: path ?? '',
    bytesMax: maxSize ?? null,
    metadata: metadata ?? {},
    isOwn: own === true,
  };
}

function readMaker(tokenId: string | undefined, userId: string | undefined): GrantMaker | null {
  if (tokenId !== undefined) return { kind: 'token', id: tokenId };
  return userId === undefined ? null : { kind: 'user', id: userId };
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** HS256 with a separate key, so that signatures for other purposes never pass for tokens. */
function sign(secret: string, text: string): string {
  const key = createHmac('sha256', secret).update('presigned tokens').digest();
  return createHmac('sha256', key).update(text).digest('base64url');
}

function expired(): ServiceError {
  return new ServiceError('presigned_expired', 'This upload URL has expired; ask for a new one.');
}

function usedUp(): ServiceError {
  return new ServiceError('presigned_used', 'This upload URL has been used; ask for a new one.');
}

function unknown(): ServiceError {
  return new ServiceError('presigned_unknown', 'This upload URL is unknown; ask for a new one.');
}
