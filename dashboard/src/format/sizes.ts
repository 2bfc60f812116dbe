/** Formats and splits numbers of bytes. All units are binary, as limits are set in them: a MiB is 1,048,576 bytes. */

const powers = { MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40 } as const;
export type SizeUnit = keyof typeof powers;
export const sizeUnits: readonly SizeUnit[] = ['MiB', 'GiB', 'TiB'];

type TypedSize = { amount: string; unit: SizeUnit };

/** Writes a size for a form field, in at most three decimals. `joinSize` still returns the exact size. */
export function splitSize(bytes: number): TypedSize {
  const unit = chooseUnit(bytes);
  const exact = bytes / powers[unit];
  return { amount: String(Number(exact.toFixed(3)) || exact), unit };
}

/** Reads a typed size. Returns the saved one if the field still shows it, because the field may have rounded it. */
export function joinSize({ amount, unit }: TypedSize, savedBytes: number | null): number {
  if (savedBytes !== null) {
    const shown = splitSize(savedBytes);
    if (shown.unit === unit && Number(shown.amount) === Number(amount)) return savedBytes;
  }
  return Math.round(Number(amount) * powers[unit]);
}

/** Returns the largest unit that keeps the number at 1 or more. */
function chooseUnit(bytes: number): SizeUnit {
  return bytes >= powers.TiB ? 'TiB' : bytes >= powers.GiB ? 'GiB' : 'MiB';
}

export function formatSize(bytes: number): string {
  const unit = chooseUnit(bytes);
  return `${Number((bytes / powers[unit]).toFixed(2))} ${unit}`;
}

const steps = ['B', 'KiB', ...sizeUnits] as const;

/** Formats file sizes, small ones too: `812 B`, `1.4 MiB`. */
export function formatBytes(bytes: number): string {
  return scale(bytes, amount => (amount < 100 ? Number(amount.toPrecision(3)) : Math.round(amount)));
}

/** Formats limits and sizes compared with them: `32 MiB`, `33.1 MiB`. Rounds up, so that a size over its limit never reads like it. */
export function formatLimit(bytes: number): string {
  return scale(bytes, amount => Math.ceil(amount * 100) / 100);
}

function scale(bytes: number, round: (amount: number) => number): string {
  const step = Math.min(steps.length - 1, Math.floor(Math.log2(Math.max(bytes, 1)) / 10));
  return `${round(bytes / 1024 ** step)} ${steps[step]}`;
}
