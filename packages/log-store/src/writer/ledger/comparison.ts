/** Decides what became of the parts in the ledger, by comparing them with the parts that the engine has now. */
import { type PartName, readPartName } from '../engine/partNames.ts';
import type { RecordedPart } from './ledgerFile.ts';
import type { PresentPart } from './presentParts.ts';

/** `emptied`: everything that it held was removed on purpose. */
type PartFate = 'stands' | 'emptied' | 'lost';

type Placed = { part: PresentPart; place: PartName };

export function classifyParts<Part extends RecordedPart>(
  recorded: readonly Part[],
  present: readonly PresentPart[],
): { part: Part; fate: PartFate }[] {
  const byName = new Map(present.map(part => [part.name, part]));
  const placed = present.flatMap(part => {
    const place = readPartName(part.name);
    return place === null ? [] : [{ part, place }];
  });
  const byPartition = Map.groupBy(placed, ({ place }) => place.partition);
  return recorded.map(part => {
    const same = byName.get(part.name);
    if (same?.isActive && same.key === part.key) return { part, fate: 'stands' };
    const place = readPartName(part.name);
    const others = byPartition.get(place?.partition ?? '') ?? [];
    return { part, fate: place === null ? 'lost' : classifyByOthers(part, place, others) };
  });
}

function classifyByOthers(part: RecordedPart, place: PartName, others: readonly Placed[]): PartFate {
  const replacing = others.filter(other => other.place.name !== place.name && replaces(other.place, place));
  if (replacing.some(other => other.part.isActive && other.part.entries > 0)) return 'stands';
  if (replacing.some(other => other.part.entries === 0)) return 'emptied';
  // An engine that was killed before a merge was durable continues with the parts that it had merged.
  const replaced = others.filter(
    other => other.part.isActive && other.place.name !== place.name && replaces(place, other.place),
  );
  const entries = replaced.reduce((sum, other) => sum + other.part.entries, 0);
  return replaced.length > 0 && entries >= part.entries ? 'stands' : 'lost';
}

/** Returns whether `one` was made from `other`, by a merge or by a change of its contents. */
function replaces(one: PartName, other: PartName): boolean {
  return (
    one.firstBlock <= other.firstBlock &&
    one.lastBlock >= other.lastBlock &&
    one.level >= other.level &&
    one.change >= other.change
  );
}
