/** Answers which files are already stored. */
import type * as actions from '@tapedeck/contract/fileActions';
import type { BodyOf } from '@tapedeck/contract/route';
import { findMatches } from '@tapedeck/domain/files/equalFiles';
import { ok, type RouteRequest } from '../routing.ts';

type MatchCall = RouteRequest<typeof actions.matchFiles> & { body: BodyOf<typeof actions.matchFiles> };

/** The token route and the signed-in route share this answer. */
export function respondMatches(deps: Parameters<typeof findMatches>[0]) {
  return async ({ caller, body }: MatchCall) => {
    const sent = body.files.map(({ path = '', ...file }) => ({ ...file, path }));
    const matches = await findMatches(deps, caller, sent);
    return { ...ok, data: matches.map(({ index, file, sha256 }) => ({ index, id: file.id, sha256 })) };
  };
}
