/** Defines a benchmark and prints its results. */

export type Bench = {
  name: string;
  about: string;
  /** `keptDirectory` keeps data that is slow to create; null: it is not kept. */
  run(keptDirectory: string | null, options: BenchOptions): Promise<void>;
};

/** `cuts`: the number of power cuts. */
type BenchOptions = { cuts: number };

export function printTable(head: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map(row => row[column]?.length ?? 0)),
  );
  const print = (cells: readonly string[]) =>
    console.log(`| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`);
  print(head);
  print(widths.map(width => '-'.repeat(width)));
  for (const row of rows) print(row);
}

export function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}
