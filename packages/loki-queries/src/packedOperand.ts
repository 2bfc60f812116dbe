/** Packs the result of a metric query for another thread. Arrays of numbers move there without a copy. */

import { takeTurns } from '@tapedeck/concurrency/turns';
import type { Label, Operand, Series } from '@tapedeck/logql';

export type PackedOperand =
  | { kind: 'scalar'; value: number }
  | {
      kind: 'series';
      labels: readonly (readonly Label[])[];
      /** The points of all series, one series after the other. */
      numbers: Float64Array<ArrayBuffer>;
      /** 1 for each point that has a value. */
      present: Uint8Array<ArrayBuffer>;
    };

export function packOperand(operand: Operand): PackedOperand {
  if (operand.kind === 'scalar') return operand;
  const { series } = operand;
  const total = series.reduce((sum, { points }) => sum + points.length, 0);
  const numbers = new Float64Array(total);
  const present = new Uint8Array(total);
  let at = 0;
  for (const { points } of series)
    for (const point of points) {
      if (point !== null) {
        numbers[at] = point;
        present[at] = 1;
      }
      at++;
    }
  return { kind: 'series', labels: series.map(({ labels }) => labels), numbers, present };
}

/** Lists what moves rather than being copied. */
export function listMoved(packed: PackedOperand): ArrayBuffer[] {
  return packed.kind === 'scalar' ? [] : [packed.numbers.buffer, packed.present.buffer];
}

export async function unpackOperand(packed: PackedOperand): Promise<Operand> {
  if (packed.kind === 'scalar') return packed;
  const { labels, numbers, present } = packed;
  const steps = numbers.length / Math.max(labels.length, 1);
  const takeTurn = takeTurns(1);
  const series: Series[] = [];
  for (const [index, each] of labels.entries()) {
    const turn = takeTurn();
    if (turn !== null) await turn;
    const start = index * steps;
    const points = Array.from(numbers.subarray(start, start + steps), (value, step) =>
      present[start + step] === 1 ? value : null,
    );
    series.push({ labels: each, points });
  }
  return { kind: 'series', series };
}
