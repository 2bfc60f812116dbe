/** Decides which types and folders an upload or token may use, by scopes, presigned tokens and routes. */

import type { Scopes } from '../identity/scopes.ts';
import { type MediaType, ServiceError } from '../vocabulary.ts';
import type { FileMetadata } from './fileMetadata.ts';

/** Checks an upload once its bytes and fields are known. Throws the error for the client. */
export type UploadPermission = {
  requireType(type: MediaType): void;
  /** Returns the folder to store in, or throws. */
  choosePath(path: string): string;
  /** Metadata added to every file; the uploader cannot change it. Absent: none. */
  boundMetadata?: FileMetadata;
};

export function permitByScopes(scopes: Scopes): UploadPermission {
  return {
    requireType: type => requireTypeScope(scopes, type),
    choosePath: path => {
      requirePathScope(scopes, path);
      return path;
    },
  };
}

export function requireTypeScope(scopes: Scopes, type: MediaType): void {
  if (scopes.types === null || scopes.types.has(type)) return;
  throw new ServiceError(
    'scope_missing',
    `The token is for ${[...scopes.types].join(' and ')} files; this one is ${type}.`,
  );
}

/** Returns the requested type, or the token's only type. With a token for several types, the request must name one. */
export function chooseType(scopes: Scopes, type: MediaType | null): MediaType | null {
  if (scopes.types === null) return type;
  const chosen = type ?? (scopes.types.size === 1 ? [...scopes.types][0]! : null);
  if (chosen !== null) requireTypeScope(scopes, chosen);
  else
    throw new ServiceError(
      'scope_missing',
      `Name the type: the token is for ${[...scopes.types].join(' and ')}.`,
    );
  return chosen;
}

export function allowsPath(scopes: Scopes, path: string): boolean {
  return (
    scopes.paths === null || scopes.paths.some(folder => path === folder || path.startsWith(`${folder}/`))
  );
}

export function requirePathScope(scopes: Scopes, path: string): void {
  if (allowsPath(scopes, path)) return;
  throw new ServiceError(
    'scope_missing',
    `The token is for the folder ${scopes.paths?.join(' or ')}; name it as path.`,
  );
}

export function permitByBoth(one: UploadPermission, other: UploadPermission): UploadPermission {
  return {
    requireType: type => {
      one.requireType(type);
      other.requireType(type);
    },
    choosePath: path => other.choosePath(one.choosePath(path)),
  };
}

/** Throws `unsupported_media` if the file is not of the route's type. */
export function permitType(type: MediaType): UploadPermission {
  return {
    requireType: found => {
      if (found === type) return;
      throw new ServiceError(
        'unsupported_media',
        `Only ${type} files are accepted here; this one is ${found}.`,
      );
    },
    choosePath: path => path,
  };
}

/** Throws if none of the types is permitted. */
export function requireAnyType(types: readonly MediaType[], permission: UploadPermission): void {
  for (const type of types.slice(0, -1)) {
    try {
      permission.requireType(type);
      return;
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      // The next type may be permitted.
    }
  }
  const last = types.at(-1);
  if (last !== undefined) permission.requireType(last);
}
