/** Measures free disk space. Reports once when a disk runs low, and once when it has recovered. */

/** A folder of the data directory, each of which may be a disk of its own. */
type DiskName = 'data' | 'media' | 'logs';

export type DiskMeasure = {
  /** The same for folders on one disk. */
  fileSystem: number;
  freeBytes: number;
  totalBytes: number;
  /** How many more files fit, of so many; both 0 where the file system has no bound. */
  freeFiles: number;
  filesMax: number;
};

/** Levels from good to bad. `full`: nothing can be written. */
export type DiskLevel = 'roomy' | 'low' | 'scarce' | 'full';
const levels: readonly DiskLevel[] = ['roomy', 'low', 'scarce', 'full'];

export type DiskState = DiskMeasure & { disk: DiskName; level: DiskLevel };

export type DiskChange = {
  /** The folders on it. */
  disks: readonly DiskName[];
  level: DiskLevel;
  before: DiskLevel;
  freeBytes: number;
  totalBytes: number;
  /** Whether bytes or inodes are scarcer. */
  isShortOf: 'bytes' | 'files';
};

export type DiskWatch = {
  /** Known states; a disk that could not be read has none. */
  readonly states: readonly DiskState[];
  look(): Promise<void>;
};

type DiskWatchDeps = {
  directories: readonly { disk: DiskName; directory: string }[];
  measure(directory: string): Promise<DiskMeasure>;
  /** Whether nothing can be written. Asked of the data directory, since entries and uploads begin there. */
  isFull(directory: string): Promise<boolean>;
  tell(change: DiskChange): void;
};

/** A share of the disk, or of the files that fit on it. */
const lowShare = 0.1;
const scarceShare = 0.05;
/** This much more must be free before a level is left, so that deleting a little does not report it again. */
const backShare = 0.02;
const usableBytesMin = 16 * 1024 * 1024;
const usableShareMin = 0.02;

/** The free share: of bytes, or of inodes where fewer are left. */
function findFreeShare({ freeBytes, totalBytes, freeFiles, filesMax }: DiskMeasure) {
  const bytes = totalBytes === 0 ? 1 : freeBytes / totalBytes;
  const files = filesMax === 0 ? 1 : freeFiles / filesMax;
  return files < bytes
    ? ({ share: files, isShortOf: 'files' } as const)
    : ({ share: bytes, isShortOf: 'bytes' } as const);
}

/** `isFull`: nothing can be written. A disk that was full stays so until there is room worth the name. */
export function judgeLevel(
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

export function watchDisks({ directories, measure, isFull, tell }: DiskWatchDeps): DiskWatch {
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
      const level = judgeLevel(own[0]!, { isFull: own.some(disk => disk.isFull), before });
      known.set(fileSystem, level);
      const { freeBytes, totalBytes } = own[0]!;
      const names = own.map(({ disk }) => disk);
      if (level !== before) changes.push({ disks: names, level, before, freeBytes, totalBytes, isShortOf });
    }
    states = disks.map(({ isFull: _, ...disk }) => ({
      ...disk,
      level: known.get(disk.fileSystem) ?? 'roomy',
    }));
    for (const change of changes) tell(change);
  };
  return {
    look,
    get states() {
      return states;
    },
  };
}

/** Whether the disk is full for entries and uploads; gives the sentence for operators. */
export function findDiskProblem(watch: Pick<DiskWatch, 'states'>): string | null {
  const isFull = watch.states.some(({ disk, level }) => disk === 'data' && level === 'full');
  return isFull ? 'The disk of the data directory is full: delete files or log entries, or add room.' : null;
}
