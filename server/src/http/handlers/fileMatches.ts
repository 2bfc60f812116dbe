/** Handles questions about which files are stored already. */
import type * as actions from '@tapedeck/contract/fileActions';
import type { BodyOf } from '@tapedeck/contract/route';
import { findMatches } from '../../domain/files/matching.ts';
import { type Asked, ok } from '../routing.ts';

type MatchCall = Asked<typeof actions.matchFiles> & { body: BodyOf<typeof actions.matchFiles> };

/** The answer that the routes for tokens and for signed-in users share. */
export function respondMatches(deps: Parameters<typeof findMatches>[0]) {
  return async ({ caller, body }: MatchCall) => {
    const sent = body.files.map(({ path = '', ...file }) => ({ ...file, path }));
    const matches = await findMatches(deps, caller, sent);
    return { ...ok, data: matches.map(({ index, file, sha256 }) => ({ index, id: file.id, sha256 })) };
  };
}
