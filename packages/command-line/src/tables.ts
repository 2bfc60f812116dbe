/** Prints tables for terminals. */

/** Columns are as wide as their widest cell. */
export function printTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  // Names come from users, and a terminal obeys control characters.
  const all = [head, ...rows].map(row => row.map(cell => cell.replaceAll(/\p{Cc}/gu, '\u{fffd}')));
  const widths = head.map((_, column) => Math.max(...all.map(row => row[column]?.length ?? 0)));
  const lines = all.map(row =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return lines.join('\n');
}
