/** Names of subjects and their kinds. */
import { capitalize } from '../../format/capitals.ts';

/** Returns the latest name, or else the id. */
export function nameSubject({ names, id }: { names: readonly { name: string }[]; id: string }): string {
  return names[0]?.name ?? id;
}

/** Capitalizes `player` for a heading. */
export function nameKind(kind: string): string {
  return capitalize(kind);
}
