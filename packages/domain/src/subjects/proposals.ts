/** Proposes kinds of subjects from the metadata paths in a project's entries and files. */

import { everything } from '@tapedeck/log-query-language';
import type { FileRecords } from '../ports/files.ts';
import type { LogQueries } from '../ports/logQueries.ts';
import { limits } from '../vocabulary.ts';
import type { SubjectKind, SubjectSettings } from './kinds.ts';

export type ProposalDeps = {
  logQueries: Pick<LogQueries, 'findFields'>;
  files: Pick<FileRecords, 'countPaths'>;
};

/** `entries`, `files`: how many have the most common path. */
type SubjectProposal = SubjectKind & { entries: number; files: number };

type Family = { kind: string; ids: readonly string[]; names: readonly string[] };

/** Paths where programs put subjects, most reliable first. */
const families: readonly Family[] = [
  {
    kind: 'player',
    ids: [
      'player.id',
      'player.citizenid',
      'player.license',
      'player.identifier',
      'player.steam',
      'player.userId',
      'playerId',
      'player_id',
      'citizenid',
      'citizenId',
      'license',
      'steam',
      'steamId',
      'identifier',
      'userId',
      'user.id',
      'user_id',
      'accountId',
    ],
    names: ['player.name', 'playerName', 'player_name', 'user.name', 'userName', 'username', 'user_name'],
  },
  {
    kind: 'vehicle',
    ids: ['vehicle.id', 'vehicle.plate', 'vehicleId', 'vehicle_id', 'vehiclePlate', 'plate'],
    names: ['vehicle.name', 'vehicle.model', 'vehicleName', 'vehicleModel'],
  },
];

const wordPattern = /^([a-z][a-z0-9]{0,31})\.id$/;

export async function proposeKinds(
  { logQueries, files }: ProposalDeps,
  { project, settings }: { project: string; settings: SubjectSettings },
  signal: AbortSignal,
): Promise<SubjectProposal[]> {
  const filter = { project, datasets: null, fromMicros: null, toMicros: null, condition: everything };
  const [fields, inFiles] = await Promise.all([
    logQueries.findFields(filter, { prefix: '', limit: limits.logFieldsMax }, signal),
    files.countPaths(project),
  ]);
  const inEntries = new Map(
    fields.flatMap(({ field, entries }) =>
      field.kind === 'metadata' ? [[field.path, entries] as const] : [],
    ),
  );
  const occurs = (path: string) => inEntries.has(path) || inFiles.has(path);
  const most = (counts: ReadonlyMap<string, number>, paths: readonly string[]) =>
    Math.max(0, ...paths.map(path => counts.get(path) ?? 0));
  return [...families, ...listOthers([...inEntries.keys(), ...inFiles.keys()])]
    .filter(({ kind }) => settings.subjects.every(one => one.kind !== kind))
    .map(({ kind, ids, names }) => ({ kind, idPaths: ids.filter(occurs), namePaths: names.filter(occurs) }))
    .filter(({ idPaths }) => idPaths.length > 0)
    .map(kind => ({
      ...kind,
      entries: most(inEntries, kind.idPaths),
      files: most(inFiles, kind.idPaths),
    }))
    .toSorted((one, other) => other.entries + other.files - one.entries - one.files);
}

/** Lists other objects that have an id. */
function listOthers(paths: readonly string[]): Family[] {
  const words = new Set(paths.flatMap(path => wordPattern.exec(path)?.[1] ?? []));
  return [...words]
    .filter(word => word !== 'user' && families.every(({ kind }) => kind !== word))
    .toSorted()
    .map(word => ({ kind: word, ids: [`${word}.id`, `${word}Id`], names: [`${word}.name`, `${word}Name`] }));
}
