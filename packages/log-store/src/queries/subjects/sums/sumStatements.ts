/** Formats the statements that fill and read the table of sums. */
import { type LogLevel, listShownPaths, logLevels } from '@tapedeck/log-entries';
import { Binder, bindMicros } from '../../../writer/engine/statements.ts';
import { localTable } from '../../../writer/schema/schema.ts';
import { formatPath } from '../../fields.ts';
import type { SummedKind } from '../../logQueries.ts';
import { type Fact, factsMax } from '../profiles.ts';
import { type Arrived, dayOfEntry, formatArrived } from '../settledEntries.ts';
import { sumTable } from './sumTable.ts';

type Bound = Pick<Binder, 'parameters'> & { sql: string };

/** Selects entries of a kind's project by their own times and by arrival. */
export type EntrySpan = { arrived: Arrived; days: readonly number[]; fromMicros: number; toMicros: number };

const hoursOfWeek = 168;
const minutesOfHour = 60;
const minutesOfDay = 1440;
const minutesOfWeek = hoursOfWeek * minutesOfHour;
const daysPerBuild = 65_536; // 1970 to 2149

/** Numbers the piece of one build and day. Builds have random numbers, so leftovers of a failed build never collide. */
export function numberPiece(build: number, day: number): number {
  return build * daysPerBuild + day;
}

/** Counts entries that arrived in a time span by day, and hashes them. */
export function formatSurvey({ project }: SummedKind, arrived: Arrived): Bound {
  const binder = new Binder();
  const sql = `SELECT ${dayOfEntry} AS day, count(), toString(sumWithOverflow(cityHash64(identity, timestamp))) FROM ${localTable}
    WHERE project = ${binder.bind('String', project)}${formatArrived(arrived, binder)} GROUP BY day ORDER BY day`;
  return { sql, parameters: binder.parameters };
}

/**
 * Writes one row for each subject and combination of texts. A mark is the level and the minute of the week of an entry. Both arrays
 * have the same order because the same rows fill them; sorting them together cost a sixth of the build.
 */
export function formatBuild(
  kind: SummedKind,
  { build, list }: { build: number; list: number },
  span: EntrySpan,
): Bound {
  const { project, paths } = kind;
  const binder = new Binder();
  const told = listShownPaths(paths);
  const texts = told.map(path => formatPath(path, binder).value);
  const ids = paths.idPaths.map(path => `texts[${told.indexOf(path) + 1}]`);
  const sql = `INSERT INTO ${sumTable} (list, id, piece, texts, entries, firstAt, lastAt, marks, resources)
    SELECT ${list}, id, ${build * daysPerBuild} + day, texts, count(), min(at), max(at),
      groupArray(mark), groupArray(resource)
    FROM (
      SELECT ${dayOfEntry} AS day, toUnixTimestamp64Micro(timestamp) AS at, resource, [${texts.join(', ')}] AS texts,
        toUInt16((toInt8(level) - 1) * ${minutesOfWeek} + (toDayOfWeek(timestamp, 0, 'UTC') - 1) * ${minutesOfDay}
          + toHour(timestamp, 'UTC') * ${minutesOfHour} + toMinute(timestamp, 'UTC')) AS mark,
        arrayJoin(arrayDistinct(arrayFilter(text -> text != '', [${ids.join(', ')}]))) AS id
      FROM ${localTable}
      WHERE project = ${binder.bind('String', project)}${formatArrived(span.arrived, binder)}
        AND timestamp >= ${bindMicros(span.fromMicros, binder)} AND timestamp < ${bindMicros(span.toMicros, binder)}
        AND ${dayOfEntry} IN ${binder.bind('Array(UInt64)', `[${span.days.join(',')}]`)}
    )
    GROUP BY day, id, texts`;
  return { sql, parameters: binder.parameters };
}

/** Formats the columns of marks and resources, in the same order. */
function formatMarked(marked: string): string {
  return `tupleElement(arraySort(${marked}), 1), tupleElement(arraySort(${marked}), 2)`;
}

/** Joins several pieces into one. */
export function formatJoining(list: number, pieces: readonly number[], piece: number): Bound {
  const binder = new Binder();
  const sql = `INSERT INTO ${sumTable} (list, id, piece, texts, entries, firstAt, lastAt, marks, resources)
    SELECT ${list}, id, ${piece}, texts, sum(entries), min(firstAt), max(lastAt),
      ${formatMarked('arrayZip(groupArrayArray(marks), groupArrayArray(resources))')}
    FROM ${sumTable} WHERE ${formatPieces(list, pieces, binder)}
    GROUP BY id, texts`;
  return { sql, parameters: binder.parameters };
}

export function formatRemoval(list: number, kept: readonly number[]): Bound {
  const binder = new Binder();
  const sql = `ALTER TABLE ${sumTable} DELETE WHERE list = ${list} AND NOT (${formatPieces(list, kept, binder)})
    SETTINGS mutations_sync = 1`;
  return { sql, parameters: binder.parameters };
}

export function formatRowCounts(list: number): string {
  return `SELECT piece, count() FROM ${sumTable} WHERE list = ${list} GROUP BY piece`;
}

/** Lists the ids and names of a kind, as `subjectLists.ts` reads them from entries. */
export function formatListing(
  { paths }: SummedKind,
  { list, pieces, rowsMax }: { list: number; pieces: readonly number[]; rowsMax: number },
): Bound {
  const binder = new Binder();
  const told = listShownPaths(paths);
  const names = paths.namePaths.map(path => `texts[${told.indexOf(path) + 1}]`);
  const named =
    names.length === 0
      ? "CAST([], 'Array(String)')"
      : `arrayDistinct(arrayFilter(text -> text != '', [${names.join(', ')}]))`;
  const sql = `SELECT id, name, toInt64(sumIf(entries, nth <= 1)), min(firstAt), max(lastAt)
    FROM (SELECT id, ${named} AS names, sum(entries) AS entries, min(firstAt) AS firstAt, max(lastAt) AS lastAt
      FROM ${sumTable} WHERE ${formatPieces(list, pieces, binder)} GROUP BY id, names)
    LEFT ARRAY JOIN names AS name, arrayEnumerate(names) AS nth
    GROUP BY id, name LIMIT ${rowsMax + 1}`;
  return { sql, parameters: binder.parameters };
}

/** Selects the sums of one subject from all pieces; `readSums` reads the rows. */
export function formatReading(
  id: string,
  { list, pieces }: { list: number; pieces: readonly number[] },
): Bound {
  const binder = new Binder();
  const source = `${sumTable} WHERE ${formatPieces(list, pieces, binder)} AND id = ${binder.bind('String', id)}`;
  const sql = `SELECT 'mark' AS kind, toString(mark) AS value, toInt64(count()) AS number, min(firstAt), max(lastAt)
      FROM (SELECT intDiv(arrayJoin(marks), ${minutesOfHour}) AS mark, firstAt, lastAt FROM ${source}) GROUP BY mark
    UNION ALL SELECT 'resource', toString(resource), toInt64(count()), min(firstAt), max(lastAt)
      FROM (SELECT arrayJoin(resources) AS resource, firstAt, lastAt FROM ${source}) GROUP BY resource
    UNION ALL SELECT * FROM (SELECT toString(place), text, toInt64(sum(entries)), min(firstAt), max(lastAt) AS usedAt
      FROM (SELECT texts, entries, firstAt, lastAt FROM ${source}) ARRAY JOIN texts AS text, arrayEnumerate(texts) AS place
      WHERE text != '' GROUP BY place, text ORDER BY usedAt DESC, text LIMIT ${factsMax})`;
  return { sql, parameters: binder.parameters };
}

/** Selects entries with one of the ids, levels and resources; null: any. */
export type MarkedEntries = {
  ids: readonly string[];
  levels: readonly LogLevel[] | null;
  resources: readonly string[] | null;
};

/**
 * Selects the minutes of entries. The first row is the number of entries with the ids. Each other row is a minute since 1970
 * and its number of selected entries. If the ids have more entries than `entriesMax`, there are no other rows. An entry with
 * two of the ids may count twice.
 */
export function formatMinutes(
  { ids, levels, resources }: MarkedEntries,
  { list, pieces, entriesMax }: { list: number; pieces: readonly number[]; entriesMax: number },
): Bound {
  const binder = new Binder();
  const source = `${sumTable} WHERE ${formatPieces(list, pieces, binder)} AND id IN ${binder.bindTexts(ids)}`;
  const total = `SELECT toInt64(sum(entries)) FROM ${source}`;
  const conditions = [
    ...(levels === null
      ? []
      : [`intDiv(marked.1, ${minutesOfWeek}) IN (${levels.map(level => logLevels.indexOf(level))})`]),
    ...(resources === null ? [] : [`marked.2 IN ${binder.bindTexts(resources)}`]),
  ];
  const sql = `SELECT toInt64(-1) AS minute, (${total}) AS entries
    UNION ALL SELECT * FROM (
      SELECT toInt64(day * ${minutesOfDay} + marked.1 % ${minutesOfDay}) AS minute, toInt64(count())
      FROM (SELECT piece % ${daysPerBuild} AS day, arrayJoin(arrayZip(marks, resources)) AS marked
        FROM ${source} AND (${total}) <= ${entriesMax})
      ${conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`}
      GROUP BY minute ORDER BY minute
    )`;
  return { sql, parameters: binder.parameters };
}

function formatPieces(list: number, pieces: readonly number[], binder: Binder): string {
  return `list = ${list} AND piece IN ${binder.bind('Array(UInt64)', `[${pieces.join(',')}]`)}`;
}

/** Splits each mark into a fact for its level and one for its hour. Levels get the times of the whole subject: only overall times matter. */
export function readSums(rows: readonly Fact[]): Fact[] {
  const facts: Fact[] = [];
  for (const fact of rows) {
    const [kind, value, entries, firstMicros, lastMicros] = fact;
    if (kind !== 'mark') {
      facts.push(fact);
      continue;
    }
    const mark = Number(value);
    const level = logLevels[Math.floor(mark / hoursOfWeek)] ?? '';
    facts.push(['level', level, entries, firstMicros, lastMicros]);
    facts.push(['hour', String(mark % hoursOfWeek), entries, firstMicros, lastMicros]);
  }
  return facts;
}
