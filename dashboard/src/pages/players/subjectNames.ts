/** Names of subjects and their kinds. */

/** Returns the latest name, or else the id. */
export function nameSubject({ names, id }: { names: readonly { name: string }[]; id: string }): string {
  return names[0]?.name ?? id;
}

/** Capitalizes `player` for a heading. */
export function nameKind(kind: string): string {
  return `${kind.slice(0, 1).toUpperCase()}${kind.slice(1)}`;
}
