/** Records the rows that either reader makes of a body, for comparison. */

import {
  createItemWriter,
  type EncodedRow,
  type ItemRules,
  type ItemSink,
  type LogRow,
  type Slice,
  writeItem,
} from '@tapedeck/log-entries';
import { Failure } from '@tapedeck/values/failure';
import type { DirectTask, SentEntry } from '../src/index.ts';

export const nowMicros = 1_763_884_800_000_000;
const spanMicros = 1e12;
const usualDataset = 'usual';

const rules: ItemRules = {
  range: { fromMicros: nowMicros - spanMicros, toMicros: nowMicros + spanMicros },
  levelSynonyms: null,
};

type RecordedRow = {
  micros: number;
  level: string;
  message: string;
  resource: string;
  leaves: (readonly [path: string, value: string])[];
};

type Recording = { rows: RecordedRow[]; sink: ItemSink };

/** Sorts leaves by name, because their order is not guaranteed. */
function record(): Recording {
  const rows: RecordedRow[] = [];
  let leaves: (readonly [string, string])[] = [];
  let times = 0;
  const complete = (
    { timestampMicros: micros, level }: LogRow | EncodedRow,
    message: string,
    resource: string,
  ) => {
    const sorted = leaves.toSorted(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0));
    rows.push({ micros, level, message, resource, leaves: sorted });
    leaves = [];
  };
  const read = ({ bytes, start, end }: Slice) => bytes.toString('utf8', start, end);
  return {
    rows,
    sink: {
      rules,
      stamper: {
        begin() {},
        takeBack() {},
        stampTime(row) {
          row.timestampMicros = nowMicros + times++;
        },
        stampIdentity() {},
      },
      batch: {
        addLeaf: (path, value) => void leaves.push([path, value]),
        add: row => complete(row, row.message, row.resource),
        addEncodedLeaf: (path, value) => void leaves.push([read(path), read(value)]),
        addEncoded(row) {
          complete(row, read(row.message), read(row.resource));
          return true;
        },
        cancel() {
          rows.length = 0;
          leaves = [];
        },
      },
    },
  };
}

/** Records rows by dataset. Returns null if the body or an entry is refused. */
export function recordEntries(read: () => readonly SentEntry[]): Record<string, RecordedRow[]> | null {
  const recording = record();
  const datasets: Record<string, RecordedRow[]> = {};
  try {
    const writer = createItemWriter(recording.sink);
    for (const entry of read()) {
      writeItem(writer, entry);
      const dataset = entry.dataset ?? usualDataset;
      datasets[dataset] = [...(datasets[dataset] ?? []), ...recording.rows.slice(-1)];
    }
    return datasets;
  } catch (error) {
    if (error instanceof Failure) return null;
    throw error;
  }
}

const most = Number.MAX_SAFE_INTEGER;

/** Records rows by dataset. Returns null if the body is not plain. */
export function recordPlain(write: (task: DirectTask) => unknown): Record<string, RecordedRow[]> | null {
  let dataset = usualDataset;
  for (let tries = 0; tries < 2; tries++) {
    const recording = record();
    const task = {
      sink: recording.sink,
      dataset,
      usualDataset,
      rowsMax: most,
      workMax: most,
      bytesMax: most,
      otherDataset: null as string | null,
    };
    if (write(task) !== null) return { [dataset]: recording.rows };
    if (task.otherDataset === null) return null;
    dataset = task.otherDataset;
  }
  return null;
}
