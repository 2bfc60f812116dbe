/** Handles moves of folders. */
import type * as actions from '@tapedeck/contract/fileActions';
import type { BodyOf } from '@tapedeck/contract/route';
import type { FolderMover } from '@tapedeck/domain/files/folderMover';
import { followFolderMove, parseFolderMove } from '@tapedeck/domain/files/folderMoves';
import type { MovingDeps } from '@tapedeck/domain/files/movePasses';
import type { TokenPrincipal, UserReader } from '@tapedeck/domain/identity/principals';
import { admitCaller, type CallerDeps, confirmAccess } from '../authentication.ts';
import { ok, type RouteRequest } from '../routing.ts';

export type FolderMoveDeps = MovingDeps & CallerDeps & { folderMover: FolderMover };

type MoveCall = Pick<RouteRequest<typeof actions.moveFolder>, 'request'> & {
  caller: TokenPrincipal | UserReader;
  body: BodyOf<typeof actions.moveFolder>;
};

const waitMs = 10_000; // proxies wait at least half a minute

/** The token route and the signed-in route share this answer. */
export async function respondFolderMove(deps: FolderMoveDeps, { caller, body, request }: MoveCall) {
  const startedAt = performance.now();
  const data = await followFolderMove(deps, { caller, ...parseFolderMove(body) }, waitMs);
  const { route } = request.routeOptions.config;
  if (route) request.readmit = () => admitCaller(deps, route.access, request);
  await confirmAccess(request, startedAt);
  return { ...ok, data };
}
