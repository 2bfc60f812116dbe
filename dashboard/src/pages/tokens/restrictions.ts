/** Converts a token's restrictions between the form and the API. */
import type { MediaType, TokenAction, TokenKind } from '@tapedeck/client';

/** An empty list means no restriction. */
export type Narrowing = {
  actions: readonly TokenAction[];
  types: readonly MediaType[];
  folders: readonly string[];
  datasets: readonly string[];
};

export const notNarrowed: Narrowing = { actions: [], types: [], folders: [], datasets: [] };

/** Omits what does not apply to the kind, so that users can switch kinds and lose nothing. */
export function writeScopes(narrowing: Narrowing, kind: TokenKind): string[] {
  const { actions, types, folders, datasets } = narrowing;
  if (kind === 'admin') return [];
  const ofMedia = [...types.map(type => `type:${type}`), ...folders.map(folder => `path:${folder}`)];
  const ofLogs = datasets.map(name => `dataset:${name}`);
  return [
    ...(kind === 'webhook' ? [] : actions), // it can only write
    ...(kind === 'logs' ? [] : ofMedia),
    ...(kind === 'media' ? [] : ofLogs),
  ];
}
