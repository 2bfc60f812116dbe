/** What a token is narrowed to, as the form holds it and as the API takes it. */
import type { MediaType, TokenAction, TokenKind } from '@tapedeck/client';

/** An empty list: not narrowed in this respect. */
export type Narrowing = {
  actions: readonly TokenAction[];
  types: readonly MediaType[];
  folders: readonly string[];
  datasets: readonly string[];
};

export const notNarrowed: Narrowing = { actions: [], types: [], folders: [], datasets: [] };

/** Leaves out what does not apply to the kind, so that switching it back and forth loses nothing. */
export function writeScopes(narrowing: Narrowing, kind: TokenKind): string[] {
  const { actions, types, folders, datasets } = narrowing;
  if (kind === 'admin') return [];
  if (kind === 'logs') return [...actions, ...datasets.map(name => `dataset:${name}`)];
  return [...actions, ...types.map(type => `type:${type}`), ...folders.map(folder => `path:${folder}`)];
}
