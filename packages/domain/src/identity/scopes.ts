/** Parses a token's scopes into a form for checking requests. */

import { isDatasetName, usualDataset } from '../logs/datasetRules.ts';
import {
  invalidFieldError,
  type MediaType,
  mediaTypes,
  type ServiceError,
  type TokenAction,
  type TokenKind,
  tokenActions,
} from '../vocabulary.ts';

/** null: no restriction of this kind. */
export type Scopes = {
  /** The words as written. */
  words: readonly string[];
  actions: ReadonlySet<TokenAction> | null;
  types: ReadonlySet<MediaType> | null;
  /** Without leading or trailing slashes. Each includes its subfolders. */
  paths: readonly string[] | null;
  datasets: ReadonlySet<string> | null;
};

/** No restrictions. */
export const noScopes: Scopes = { words: [], actions: null, types: null, paths: null, datasets: null };

const readers = {
  type: (value: string) => oneOf(value, mediaTypes, 'type'),
  path: (value: string) => {
    const folder = value.replace(/^\/+|\/+$/g, '').normalize('NFC');
    if (folder === '') throw scopeError(`path:${value}`, 'name a folder, such as path:clips');
    return folder;
  },
  dataset: (value: string) => {
    if (!isDatasetName(value)) throw scopeError(`dataset:${value}`, 'name a dataset, such as dataset:game');
    return value;
  },
};

/** Throws an error naming the first word that is not a scope of this kind of token. */
export function readScopes(words: readonly string[], kind: TokenKind): Scopes {
  const found = {
    actions: new Set<TokenAction>(),
    type: new Set<string>(),
    path: new Set<string>(),
    dataset: new Set<string>(),
  };
  for (const word of words) {
    const [subject = '', ...rest] = word.split(':');
    const value = rest.join(':');
    if (isOneOf(word, tokenActions)) found.actions.add(word);
    else if (subject === 'type' || subject === 'path' || subject === 'dataset') {
      requireKind(word, { needed: subject === 'dataset' ? 'logs' : 'media', kind });
      found[subject].add(readers[subject](value));
    } else
      throw scopeError(
        word,
        'use read, write, delete, type:image|video|audio, path:<folder> or dataset:<name>',
      );
  }
  return {
    words,
    actions: orNull(found.actions),
    // The reader accepted only media types.
    types: orNull(found.type) as ReadonlySet<MediaType> | null,
    paths: found.path.size > 0 ? [...found.path] : null,
    datasets: orNull(found.dataset),
  };
}

const usualDatasetAlone: ReadonlySet<string> = new Set([usualDataset]);

/** Returns the datasets to which a session reported by the token may write. A token limited to certain files gets only the usual dataset. */
export function datasetsOfSession({ types, paths, datasets }: Scopes): ReadonlySet<string> | null {
  return types === null && paths === null ? datasets : usualDatasetAlone;
}

/** A webhook token's scopes restrict messages' entries like log entries, and their files like media. */
function requireKind(word: string, { needed, kind }: { needed: 'logs' | 'media'; kind: TokenKind }): void {
  if (kind === needed || kind === 'webhook') return;
  throw scopeError(word, `only ${needed} and webhook tokens can be limited this way`);
}

function oneOf<const T extends string>(value: string, known: readonly T[], subject: string): T {
  if (isOneOf(value, known)) return value;
  throw scopeError(`${subject}:${value}`, `use one of ${known.join(', ')}`);
}

function isOneOf<const T extends string>(value: string, known: readonly T[]): value is T {
  // Widened only for the search.
  return (known as readonly string[]).includes(value);
}

function orNull<T>(set: ReadonlySet<T>): ReadonlySet<T> | null {
  return set.size > 0 ? set : null;
}

function scopeError(word: string, remedy: string): ServiceError {
  return invalidFieldError('scopes', `The scope "${word}" cannot be used: ${remedy}.`);
}
