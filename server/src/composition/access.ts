/** Opens the directory of who may do what, with the tokens that the settings fix. */
import type { Config } from '../config.ts';
import { type AccessDeps, AccessDirectory } from '../domain/identity/access.ts';
import { makeFixedToken } from '../domain/identity/fixedTokens.ts';
import type { Token } from '../domain/ports/metadata.ts';
import { ensureDefaultProject } from '../domain/projects/projects.ts';

export async function openAccess(deps: AccessDeps, config: Config, secret: string): Promise<AccessDirectory> {
  await ensureDefaultProject({ ...deps, announceChange: async () => undefined });
  const { media, logs } = config.fixedTokens;
  const fixed: Token[] = [];
  if (media !== null) fixed.push(makeFixedToken('media', media, secret));
  if (logs !== null) fixed.push(makeFixedToken('logs', logs, secret));
  return AccessDirectory.open(deps, fixed);
}
