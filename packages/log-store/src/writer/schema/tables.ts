/**
 * Creates the log tables on a server, and completes those of an earlier version while they are in use: it declares the
 * columns, indexes and projections that were added since, which costs nothing. The contents of old parts follow later.
 */

import { describeOutage, LogStoreFailure } from '../../failures.ts';
import { EngineError } from '../engine/requests.ts';
import { type Parameters, queryRows, type Row, runCommand } from '../engine/statements.ts';
import type { EngineAccess } from '../engine/supervision.ts';
import { countShards, findSharedCluster } from './clusters.ts';
import { choosePlace, replicationSettings, type TablePlace } from './replication.ts';
import {
  database,
  durabilitySettings,
  former,
  granuleBytes,
  type InsertDurability,
  indexes,
  laterColumns,
  localTable,
  partition,
  projections,
  schemaVersion,
  settings,
  sharedTable,
  slowColumn,
  sortingKey,
  storedColumns,
} from './schema.ts';

type SchemaTarget = {
  access: EngineAccess;
  clusterName: string | null;
  /** `synced`, unless the tables belong to an embedded engine. */
  durability?: InsertDurability;
  /** Rows per granule. Tests have fewer rows and want more granules. */
  indexGranularity?: number;
  /** The cluster that may have copies, if the table over all shards is created separately. */
  replicatedIn?: string | null;
  /** Collects the statements instead of running them. */
  planned?: string[];
  /** Aborts the wait for a server that does not answer. */
  signal?: AbortSignal | undefined;
};

type TableOptions = Pick<SchemaTarget, 'indexGranularity' | 'durability'>;

type PresentTable = {
  version: number;
  engine: string;
  columns: readonly string[];
  /** How each column is compressed. */
  codecs: ReadonlyMap<string, string>;
  indexes: readonly string[];
  projections: readonly string[];
  hasSlowColumn: boolean;
};

const indexGranularityDefault = 2048; // entries that are unpacked together; index filters cover four times as many
const largeGranularity = 8192; // ClickHouse's default

/** ClickHouse's error codes for a statement that the user may not run. */
const deniedCodes = [164, 497];

/** Creates database and tables on one server, or completes existing ones. An operator may have created them, as replicated tables. */
export async function createSchema(target: SchemaTarget): Promise<void> {
  const { clusterName } = target;
  const present = await describeTable(target, localTable);
  if (present === null) {
    const place = await choosePlace(target.access, target.replicatedIn ?? clusterName, target.signal);
    for (const sql of listCreation(place, target)) await command(target, sql);
  } else await completeTable(target, present);
  if (clusterName !== null) await shareTable(target, clusterName);
}

async function describeTable(target: SchemaTarget, table: string): Promise<PresentTable | null> {
  const list = (source: string, column = 'name') =>
    `(SELECT groupArray(${column}) FROM system.${source} WHERE concat(database, '.', table) = '${table}')`;
  const sql = `SELECT comment, engine_full,
      ${list('columns')}, ${list('columns', '(name, compression_codec)')}, ${list('data_skipping_indices')}, ${list('projections')},
      (SELECT count() FROM system.columns WHERE concat(database, '.', table) = '${table}'
        AND name = '${slowColumn.name}' AND position(default_expression, '${slowColumn.text}') > 0)
    FROM system.tables WHERE concat(database, '.', name) = '${table}'`;
  const rows = await ask(target, sql);
  // As selected.
  const [row] = rows as [string, string, string[], [string, string][], string[], string[], number][];
  if (row === undefined) return null;
  const [comment, engine, columns, codecs, indexes, projections, slow] = row;
  const present = { engine, columns, indexes, projections, hasSlowColumn: slow > 0 };
  return { ...present, version: readVersion(comment), codecs: new Map(codecs) };
}

/** Applies settings first, because projections need some of them. A single ALTER takes effect whole or not at all. */
async function completeTable(target: SchemaTarget, present: PresentTable): Promise<void> {
  if (present.columns.length === 0) throw describeOutage(); // a server that starts knows the table before its columns
  const missing = storedColumns.map(nameColumn).filter(name => !present.columns.includes(name));
  const isForeign = missing.some(name => !laterColumns.includes(name));
  const statements =
    present.version > schemaVersion || isForeign ? [] : listAlterations(present, target.durability);
  try {
    for (const sql of statements) await command(target, `${sql} SETTINGS alter_sync = 0, mutations_sync = 0`);
    if (missing.length > 0 && statements.length === 0) throw describeForeign(missing);
  } catch (error) {
    if (!(error instanceof EngineError) || !deniedCodes.includes(error.engineCode)) throw error;
    if (missing.length > 0) throw describeDenial(missing, statements);
  }
}

/** Lists the statements that bring an existing table up to the declarations. */
function listAlterations(
  { version, engine, ...present }: PresentTable,
  durability: InsertDurability = 'synced',
): string[] {
  const changed = Object.entries({ ...settings, ...durabilitySettings[durability] })
    .map(formatSetting)
    .filter(assignment => !new RegExp(`[ ,]${assignment}(,|$)`).test(engine));
  const isPresent = (names: readonly string[]) => (name: string) => names.includes(name);
  const steps = [
    ...former.indexes.filter(isPresent(present.indexes)).map(name => `DROP INDEX IF EXISTS ${name}`),
    ...former.projections
      .filter(isPresent(present.projections))
      .map(name => `DROP PROJECTION IF EXISTS ${name}`),
    ...storedColumns.flatMap((declaration, index) =>
      present.columns.includes(nameColumn(declaration))
        ? []
        : [`ADD COLUMN IF NOT EXISTS ${declaration} AFTER ${nameColumn(storedColumns[index - 1]!)}`],
    ),
    ...storedColumns.flatMap(declaration => formatCodecChange(declaration, present)),
    ...fitIndexes(readGranularity(engine)).filter(isAbsent(present.indexes)).map(formatAddition),
    ...projections.filter(isAbsent(present.projections)).map(formatAddition),
  ];
  if (steps.length > 0 || version < schemaVersion) steps.push(`MODIFY COMMENT '${comment}${unfinishedMark}'`);
  return [
    ...(present.hasSlowColumn ? [`ALTER TABLE ${localTable} MODIFY COLUMN ${slowColumn.declaration}`] : []),
    ...(changed.length === 0 ? [] : [`ALTER TABLE ${localTable} MODIFY SETTING ${changed.join(', ')}`]),
    ...(steps.length === 0 ? [] : [`ALTER TABLE ${localTable} ${steps.join(', ')}`]),
  ];
}

const comment = `Log entries of Tapedeck, version ${schemaVersion}`;
/** Follows the comment until all parts have what the table has. */
const unfinishedMark = ', older parts are being completed';

/** Tables of version 1 have no comment. */
function readVersion(present: string): number {
  return Number(/version (\d+)/.exec(present)?.[1] ?? 1);
}

/** `isWhole` is true if all parts have what the table has. It is also true for other versions, which this one cannot judge. */
export async function readTableState(
  access: EngineAccess,
  signal: AbortSignal,
): Promise<{ isWhole: boolean }> {
  const sql = `SELECT comment FROM system.tables WHERE concat(database, '.', name) = '${localTable}'`;
  const [row] = await queryRows(access, { sql, signal });
  const present = String(row?.[0]);
  return { isWhole: readVersion(present) !== schemaVersion || !present.endsWith(unfinishedMark) };
}

export async function markWhole(access: EngineAccess, signal: AbortSignal): Promise<void> {
  await runCommand(access, `ALTER TABLE ${localTable} MODIFY COMMENT '${comment}'`, { signal });
}

/** A column's declaration starts with its name; that of an index or projection starts with its kind. */
function nameColumn(declaration: string): string {
  return declaration.slice(0, declaration.indexOf(' '));
}

/** Stored data is compressed anew when the engine merges it. */
function formatCodecChange(declaration: string, { codecs }: Pick<PresentTable, 'codecs'>): string[] {
  const name = nameColumn(declaration);
  const [codec] = /CODEC\(.*\)$/.exec(declaration) ?? [];
  const isChanged = codec !== undefined && codecs.has(name) && codecs.get(name) !== codec;
  return isChanged ? [`MODIFY COLUMN ${name} ${codec}`] : [];
}

/** Keeps the entries per filter the same with large granules, as in tables of the first version. */
function fitIndexes(indexGranularity: number): readonly string[] {
  if (indexGranularity < largeGranularity) return indexes;
  return indexes.map(declaration => declaration.replace(/GRANULARITY \d+$/, 'GRANULARITY 1'));
}

function readGranularity(engine: string): number {
  return Number(/[ ,]index_granularity = (\d+)/.exec(engine)?.[1] ?? largeGranularity);
}

function isAbsent(present: readonly string[]): (declaration: string) => boolean {
  return declaration => !present.includes(nameDeclared(declaration));
}

export function nameDeclared(declaration: string): string {
  return declaration.split(' ')[1] ?? '';
}

function formatAddition(declaration: string): string {
  return declaration.replace(/^(INDEX|PROJECTION)/, 'ADD $1 IF NOT EXISTS');
}

/** Thrown before anything is inserted or altered. */
function describeForeign(missing: readonly string[]): LogStoreFailure {
  return new LogStoreFailure(
    'unavailable',
    `The table ${localTable} lacks the columns ${missing.join(', ')}: another version or another program created it. ` +
      'Rename it with RENAME TABLE, or add what is missing.',
  );
}

function describeDenial(missing: readonly string[], statements: readonly string[]): LogStoreFailure {
  return new LogStoreFailure(
    'unavailable',
    `The table ${localTable} lacks the columns ${missing.join(', ')}, and the service may not alter it. ` +
      `Run as a user who may: ${statements.join('; ')}`,
  );
}

/**
 * Returns whether the shared table reads from this cluster or a larger one. Nodes with a longer list chose the larger one,
 * and queries must find their entries.
 */
async function readsEnough({ access, signal }: SchemaTarget, clusterName: string): Promise<boolean> {
  const shared = await findSharedCluster(access, signal);
  if (shared === null || shared === clusterName) return shared === clusterName;
  return (await countShards(access, shared, signal)) > (await countShards(access, clusterName, signal));
}

/** Creates the table over all shards, or replaces one that lacks columns or reads from another, not larger cluster. It holds no data itself. */
export async function shareTable(target: SchemaTarget, clusterName: string): Promise<void> {
  const local = await describeTable(target, localTable);
  const present = await describeTable(target, sharedTable);
  const isWhole = local?.columns.every(name => present?.columns.includes(name)) === true;
  if (isWhole && (await readsEnough(target, clusterName))) return;
  await command(
    target,
    `CREATE ${present === null ? 'TABLE IF NOT EXISTS' : 'OR REPLACE TABLE'} ${sharedTable} AS ${localTable}
     ENGINE = Distributed({cluster:Identifier}, '${database}', 'logs')`,
    { cluster: clusterName },
  );
}

function ask({ access, signal }: SchemaTarget, sql: string): Promise<Row[]> {
  return queryRows(access, { sql, signal });
}

async function command(
  { access, signal, planned }: SchemaTarget,
  sql: string,
  parameters: Parameters = {},
): Promise<void> {
  if (planned === undefined) await runCommand(access, sql, { parameters, signal });
  else planned.push(sql.replace(/\{(\w+):Identifier\}/g, (_, name: string) => String(parameters[name])));
}

/** Lists the statements that create the log table if it is missing. */
export function listCreation(place: TablePlace, options: TableOptions = {}): string[] {
  return [`CREATE DATABASE IF NOT EXISTS ${database}${place.onCluster}`, formatTable(place, options)];
}

function formatTable(
  place: TablePlace,
  { indexGranularity = indexGranularityDefault, durability = 'synced' }: TableOptions,
): string {
  const copied = place.onCluster === '' ? {} : replicationSettings;
  const granules = { index_granularity: indexGranularity, index_granularity_bytes: granuleBytes };
  const all = { ...granules, ...durabilitySettings[durability], ...settings, ...copied };
  const assignments = Object.entries(all).map(formatSetting);
  return `CREATE TABLE IF NOT EXISTS ${localTable}${place.onCluster} (
    ${[...storedColumns, ...fitIndexes(indexGranularity), ...projections].join(',\n    ')}
  )
  ENGINE = ${place.engine(localTable)}
  PARTITION BY ${partition}
  ORDER BY ${sortingKey}
  SETTINGS ${assignments.join(', ')}
  COMMENT '${comment}'`;
}

function formatSetting([name, value]: [string, number | string]): string {
  return `${name} = ${typeof value === 'number' ? value : `'${value}'`}`;
}
