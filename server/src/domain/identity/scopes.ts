/** Parses the scopes of a token into a form that requests are checked against. */
import {
  invalidFieldError,
  type MediaType,
  mediaTypes,
  type ServiceError,
  type TokenAction,
  type TokenKind,
  tokenActions,
} from '../../vocabulary.ts';
import { isDatasetName, usualDataset } from '../logs/datasetRules.ts';

/** null: not narrowed in this respect. */
export type Scopes = {
  /** The words as written. */
  words: readonly string[];
  actions: ReadonlySet<TokenAction> | null;
  types: ReadonlySet<MediaType> | null;
  /** Without slashes at the ends; the folder and all below it. */
  paths: readonly string[] | null;
  datasets: ReadonlySet<string> | null;
};

/** Narrows nothing. */
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

/** Throws an error that names the first word that is no scope of this kind of token. */
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
    // The reader let media types through only.
    types: orNull(found.type) as ReadonlySet<MediaType> | null,
    paths: found.path.size > 0 ? [...found.path] : null,
    datasets: orNull(found.dataset),
  };
}

const usualDatasetAlone: ReadonlySet<string> = new Set([usualDataset]);

/** Datasets that a session reported by the token may write to. A media token's limits on files say nothing about datasets. */
export function datasetsOfSession({ types, paths, datasets }: Scopes): ReadonlySet<string> | null {
  return types === null && paths === null ? datasets : usualDatasetAlone;
}

/** The entries of messages are restricted like log entries, and their files like media. */
function requireKind(word: string, { needed, kind }: { needed: 'logs' | 'media'; kind: TokenKind }): void {
  if (kind === needed || kind === 'webhook') return;
  throw scopeError(word, `only ${needed} and webhook tokens can be narrowed so`);
}

function oneOf<const T extends string>(value: string, known: readonly T[], subject: string): T {
  if (isOneOf(value, known)) return value;
  throw scopeError(`${subject}:${value}`, `use one of ${known.join(', ')}`);
}

function isOneOf<const T extends string>(value: string, known: readonly T[]): value is T {
  // Widened only to be searched.
  return (known as readonly string[]).includes(value);
}

function orNull<T>(set: ReadonlySet<T>): ReadonlySet<T> | null {
  return set.size > 0 ? set : null;
}

function scopeError(word: string, remedy: string): ServiceError {
  return invalidFieldError('scopes', `The scope "${word}" cannot be used: ${remedy}.`);
}
