/** Measures free disk space. Reports once when a disk runs low, and once when it has recovered. */

/** A folder of the data directory. Each may be on its own disk. */
type DiskName = 'data' | 'media' | 'logs';

export type DiskMeasure = {
  /** Equal for folders on the same disk. */
  fileSystem: number;
  freeBytes: number;
  totalBytes: number;
  /** How many more files fit, and how many fit in all; both 0 if the file system has no limit. */
  freeFiles: number;
  filesMax: number;
};

/** Levels from good to bad. `full`: nothing can be written. */
export type DiskLevel = 'roomy' | 'low' | 'scarce' | 'full';
const levels: readonly DiskLevel[] = ['roomy', 'low', 'scarce', 'full'];

export type DiskState = DiskMeasure & { disk: DiskName; level: DiskLevel };

export type DiskChange = {
  /** The folders on the disk. */
  disks: readonly DiskName[];
  level: DiskLevel;
  before: DiskLevel;
  freeBytes: number;
  totalBytes: number;
  /** Whether bytes or inodes are scarcer. */
  isShortOf: 'bytes' | 'files';
};

export type DiskWatch = {
  /** The last known states. Disks that could not be read are missing. */
  readonly states: readonly DiskState[];
  look(): Promise<void>;
};

type DiskWatchDeps = {
  directories: readonly { disk: DiskName; directory: string }[];
  measure(directory: string): Promise<DiskMeasure>;
  /** Whether nothing can be written. Called only for the data directory, where entries and uploads begin. */
  isFull(directory: string): Promise<boolean>;
  notify(change: DiskChange): void;
};

/** Shares of the disk's bytes, or of its inodes. */
const lowShare = 0.1;
const scarceShare = 0.05;
/** This much more must be free before the level improves, so that deleting a little does not cause another report. */
const backShare = 0.02;
const usableBytesMin = 16 * 1024 * 1024;
const usableShareMin = 0.02;

/** Returns the free share of bytes, or of inodes if fewer are left. */
function findFreeShare({ freeBytes, totalBytes, freeFiles, filesMax }: DiskMeasure) {
  const bytes = totalBytes === 0 ? 1 : freeBytes / totalBytes;
  const files = filesMax === 0 ? 1 : freeFiles / filesMax;
  return files < bytes
    ? ({ share: files, isShortOf: 'files' } as const)
    : ({ share: bytes, isShortOf: 'bytes' } as const);
}

/** `isFull`: nothing can be written. A full disk stays `full` until 16 MiB or 2 % is free, whichever is less. */
export function decideLevel(
  measure: DiskMeasure,
  { isFull, before }: { isFull: boolean; before: DiskLevel },
): DiskLevel {
  const { share } = findFreeShare(measure);
  const isBarelyFree = measure.freeBytes < Math.min(usableBytesMin, usableShareMin * measure.totalBytes);
  if (isFull || (before === 'full' && isBarelyFree)) return 'full';
  const rank = levels.indexOf(before);
  const isBelow = (bound: number, level: DiskLevel) =>
    share < (rank >= levels.indexOf(level) ? bound + backShare : bound);
  if (isBelow(scarceShare, 'scarce')) return 'scarce';
  return isBelow(lowShare, 'low') ? 'low' : 'roomy';
}

export function watchDisks({ directories, measure, isFull, notify }: DiskWatchDeps): DiskWatch {
  let states: readonly DiskState[] = [];
  const known = new Map<number, DiskLevel>();
  const look = async () => {
    const measured = await Promise.all(
      directories.map(async ({ disk, directory }) => {
        const found = await measure(directory).catch(() => null);
        return (
          found && { ...found, disk, isFull: disk === 'data' && (await isFull(directory).catch(() => false)) }
        );
      }),
    );
    const disks = measured.filter(found => found !== null);
    const changes: DiskChange[] = [];
    for (const [fileSystem, own] of Map.groupBy(disks, disk => disk.fileSystem)) {
      const before = known.get(fileSystem) ?? 'roomy';
      const { isShortOf } = findFreeShare(own[0]!);
      const level = decideLevel(own[0]!, { isFull: own.some(disk => disk.isFull), before });
      known.set(fileSystem, level);
      const { freeBytes, totalBytes } = own[0]!;
      const names = own.map(({ disk }) => disk);
      if (level !== before) changes.push({ disks: names, level, before, freeBytes, totalBytes, isShortOf });
    }
    states = disks.map(({ isFull: _, ...disk }) => ({
      ...disk,
      level: known.get(disk.fileSystem) ?? 'roomy',
    }));
    for (const change of changes) notify(change);
  };
  return {
    look,
    get states() {
      return states;
    },
  };
}

/** Returns a sentence for operators if the disk has no room for entries and uploads. */
export function findDiskProblem(watch: Pick<DiskWatch, 'states'>): string | null {
  const isFull = watch.states.some(({ disk, level }) => disk === 'data' && level === 'full');
  return isFull ? 'The disk of the data directory is full: delete files or log entries, or add space.' : null;
}
