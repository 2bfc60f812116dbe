/** Handles moves of folders. */
import * as actions from '@tapedeck/contract/fileActions';
import type { BodyOf } from '@tapedeck/contract/route';
import type { PlaceDeps } from '../../domain/files/blobRelocation.ts';
import { type FolderMoves, parseFolderMove } from '../../domain/files/folderMoves.ts';
import { type CallerDeps, watchAccess } from '../authentication.ts';
import { type Asked, type HandledRoute, handle, ok } from '../routing.ts';

export type FolderMoveDeps = PlaceDeps & CallerDeps & { folderMoves: FolderMoves };

type MoveCall = Asked<typeof actions.moveFolder> & { body: BodyOf<typeof actions.moveFolder> };
type Told = { from: string; to: string; total: number };

const waitMs = 10_000; // proxies wait for half a minute and more

export function handleFolderMoves(deps: FolderMoveDeps): HandledRoute[] {
  return [handle(actions.moveFolder, call => respondFolderMove(deps, call, async () => undefined))];
}

/** The answer that the routes for tokens and for signed-in users share. */
export async function respondFolderMove(
  deps: FolderMoveDeps,
  { caller, body, request }: MoveCall,
  begin: (told: Told) => Promise<void>,
) {
  const move = parseFolderMove(body);
  const data = await deps.folderMoves.follow(
    deps,
    { reader: caller, ...move },
    {
      waitMs,
      begin: total => begin({ ...move, total }),
      watch: stop => {
        const timer = watchAccess(deps, request, stop);
        return { [Symbol.dispose]: () => clearInterval(timer) };
      },
    },
  );
  return { ...ok, data: { ...data } };
}
