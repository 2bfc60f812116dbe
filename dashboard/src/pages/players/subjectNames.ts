/** Names of subjects and their kinds. */

/** The name used last, or else the id. */
export function nameSubject({ names, id }: { names: readonly { name: string }[]; id: string }): string {
  return names[0]?.name ?? id;
}

/** `player` as a heading has it. */
export function nameKind(kind: string): string {
  return `${kind.slice(0, 1).toUpperCase()}${kind.slice(1)}`;
}
