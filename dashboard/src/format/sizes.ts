/** Formats and splits numbers of bytes. All units are binary, as limits are set in them: a MiB is 1,048,576 bytes. */

const powers = { B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40 } as const;
export type SizeUnit = keyof typeof powers;
export const sizeUnits: readonly SizeUnit[] = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

type TypedSize = { amount: string; unit: SizeUnit };

/** Writes a size for a form field, in at most three decimals. `joinSize` still returns the exact size. */
export function splitSize(bytes: number): TypedSize {
  const unit = chooseUnit(bytes);
  return { amount: String(Number((bytes / powers[unit]).toFixed(3))), unit };
}

/** Reads a typed size. Returns the saved one if the field still shows it, because the field may have rounded it. */
export function joinSize({ amount, unit }: TypedSize, savedBytes: number | null): number {
  if (savedBytes !== null) {
    const shown = splitSize(savedBytes);
    if (shown.unit === unit && Number(shown.amount) === Number(amount)) return savedBytes;
  }
  return Math.round(Number(amount) * powers[unit]);
}

/** Returns the largest unit that keeps the number at 1 or more; bytes for 0. */
function chooseUnit(bytes: number): SizeUnit {
  return sizeUnits.findLast(unit => bytes >= powers[unit]) ?? 'B';
}

/** Formats file sizes, small ones too: `812 B`, `1.4 MiB`. */
export function formatBytes(bytes: number): string {
  return scale(bytes, amount => (amount < 100 ? Number(amount.toPrecision(3)) : Math.round(amount)));
}

/** Formats limits and sizes compared with them: `32 MiB`, `33.1 MiB`. Rounds up, so that a size over its limit never reads like it. */
export function formatLimit(bytes: number): string {
  return scale(bytes, amount => Math.ceil(amount * 100) / 100);
}

function scale(bytes: number, round: (amount: number) => number): string {
  const unit = chooseUnit(bytes);
  return `${round(bytes / powers[unit])} ${unit}`;
}
