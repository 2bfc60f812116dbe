/** Maps labels to fields of entries. A label's spelling may differ from the metadata path. */

import type { LogField, LogFilter } from '@tapedeck/log-entries';
import type { LogQueries } from '@tapedeck/log-store';
import { findAvoided, nameMetadata } from './lineLabels.ts';

export type LabelFields = {
  /** Lists the label's fields by precedence: the first that an entry has counts. */
  find(label: string): Promise<readonly LogField[]>;
  /** Like `find`, without paths that no entry has. */
  findUsed(label: string): Promise<readonly LogField[]>;
};

const pathsMax = 20_000; // per project; labels still find other paths by their exact name
const slotMicros = 900_000_000; // the store keeps counts of paths for slots of fifteen minutes

/** Looks up the known paths once, and only if a label can stand for several spellings. */
export function openLabelFields(
  { logQueries }: { logQueries: Pick<LogQueries, 'findFields'> | null },
  scope: LogFilter,
  signal: AbortSignal,
): LabelFields {
  let paths: Promise<ReadonlyMap<string, readonly string[]>> | null = null;
  const findKnown = async (label: string): Promise<readonly string[] | null> => {
    if (logQueries === null) return null;
    paths ??= listPaths(logQueries, scope, signal);
    return (await paths).get(label) ?? [];
  };
  const findPaths = async (label: string) => {
    if (!label.includes('_')) return [label]; // every character that labels cannot hold becomes `_`
    const avoided = findAvoided(label);
    const found = (await findKnown(label)) ?? (avoided === null ? [] : [avoided]);
    return [label, ...found.filter(path => path !== label)];
  };
  return {
    async findUsed(label) {
      const known = await findKnown(label);
      const all = await this.find(label);
      const isAll = known !== null && ((await paths)?.size ?? 0) < pathsMax;
      return isAll ? all.filter(field => field.kind !== 'metadata' || known.includes(field.path)) : all;
    },
    async find(label) {
      switch (label) {
        case 'service_name':
          return [{ kind: 'resource' }];
        case 'dataset':
          return [{ kind: 'dataset' }];
        case 'level':
          return [{ kind: 'level' }];
        default:
          return [
            ...(await findPaths(label)).map(path => ({ kind: 'metadata', path }) as const),
            ...findAlias(label),
          ];
      }
    },
  };
}

function findAlias(label: string): LogField[] {
  if (['app', 'job', 'resource'].includes(label)) return [{ kind: 'resource' }];
  return ['severity', 'detected_level'].includes(label) ? [{ kind: 'level' }] : [];
}

async function listPaths(
  logQueries: Pick<LogQueries, 'findFields'>,
  scope: LogFilter,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const uses = await logQueries.findFields(widenToSlots(scope), { prefix: '', limit: pathsMax }, signal);
  const paths = uses.flatMap(({ field }) => (field.kind === 'metadata' ? [field.path] : [])).sort();
  return Map.groupBy(paths, nameMetadata);
}

/** More paths do no harm, and the store need not read the entries at both ends. */
function widenToSlots(scope: LogFilter): LogFilter {
  const { fromMicros, toMicros } = scope;
  return {
    ...scope,
    fromMicros: fromMicros && Math.floor(fromMicros / slotMicros) * slotMicros,
    toMicros: toMicros && Math.ceil((toMicros + 1) / slotMicros) * slotMicros - 1,
  };
}
