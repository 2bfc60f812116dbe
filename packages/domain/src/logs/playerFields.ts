/** Finds the metadata field that names the player an entry is about. */
import type { LogField, LogFilter, LogQueries } from '../ports/logQueries.ts';

/** Paths where programs put players, most reliable first. */
const candidates = [
  'player.id',
  'player.citizenid',
  'player.license',
  'player.identifier',
  'player.userId',
  'playerId',
  'player_id',
  'citizenid',
  'license',
  'identifier',
  'steamId',
  'userId',
  'user.id',
  'user_id',
  'accountId',
  'player.name',
  'playerName',
  'player',
];
const fieldsMax = 500; // CONTRACT.md, 9.2

/** Returns the candidate in most matches; null: none occurs. */
export async function findPlayerField(
  logQueries: Pick<LogQueries, 'findFields'>,
  filter: LogFilter,
  signal: AbortSignal,
): Promise<Extract<LogField, { kind: 'metadata' }> | null> {
  const fields = await logQueries.findFields(filter, { prefix: '', limit: fieldsMax }, signal);
  const uses = new Map(
    fields.flatMap(({ field, entries }) =>
      field.kind === 'metadata' ? [[field.path, entries] as const] : [],
    ),
  );
  const found = candidates
    .map(path => ({ path, entries: uses.get(path) ?? 0 }))
    .toSorted((one, other) => other.entries - one.entries)[0];
  return found === undefined || found.entries === 0 ? null : { kind: 'metadata', path: found.path };
}
