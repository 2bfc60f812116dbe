/** Parses the engine's directory names of parts, which say what blocks a part holds and which parts it replaces. */

/** `change` is the number of the last deletion or alteration written into the part; 0 if there is none. */
export type PartName = {
  name: string;
  partition: string;
  firstBlock: number;
  lastBlock: number;
  level: number;
  change: number;
};

const pattern = /^([^_]+)_(\d+)_(\d+)_(\d+)(?:_(\d+))?$/;

/** Returns null for other names, such as a part that is being written or removed. */
export function readPartName(name: string): PartName | null {
  const found = pattern.exec(name);
  if (found === null) return null;
  const [, partition = '', ...numbers] = found;
  const [firstBlock = 0, lastBlock = 0, level = 0, change = 0] = numbers.map(number => Number(number ?? 0));
  return { name, partition, firstBlock, lastBlock, level, change };
}

/** Lists the parts that no other given part replaces. The engine keeps replaced ones for a while. */
export function listUncovered(names: readonly string[]): PartName[] {
  const parts = names.map(readPartName).filter(part => part !== null);
  // Sorts a part before those that it covers.
  parts.sort(
    (one, other) =>
      compare(one.partition, other.partition) ||
      one.firstBlock - other.firstBlock ||
      other.lastBlock - one.lastBlock ||
      other.level - one.level ||
      other.change - one.change,
  );
  const uncovered: PartName[] = [];
  for (const part of parts) {
    const last = uncovered.at(-1);
    const isCovered = last?.partition === part.partition && part.lastBlock <= last.lastBlock;
    if (!isCovered) uncovered.push(part);
  }
  return uncovered;
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
