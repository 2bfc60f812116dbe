/** Opens the directory of who may do what, with the tokens that the settings fix. */

import { type AccessDeps, AccessDirectory } from '@tapedeck/domain/identity/access';
import { makeFixedToken } from '@tapedeck/domain/identity/fixedTokens';
import type { Token } from '@tapedeck/domain/ports/metadata';
import { ensureDefaultProject } from '@tapedeck/domain/projects/projects';
import type { Config } from '../config.ts';

export async function openAccess(deps: AccessDeps, config: Config, secret: string): Promise<AccessDirectory> {
  await ensureDefaultProject({ ...deps, announceChange: async () => undefined });
  const { media, logs } = config.fixedTokens;
  const fixed: Token[] = [];
  if (media !== null) fixed.push(makeFixedToken('media', media, secret));
  if (logs !== null) fixed.push(makeFixedToken('logs', logs, secret));
  return AccessDirectory.open(deps, fixed);
}
