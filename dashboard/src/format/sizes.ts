/** Formats and splits numbers of bytes. All units are binary, as limits are set in them: a MiB is 1,048,576 bytes. */

const powers = { MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40 } as const;
export type SizeUnit = keyof typeof powers;
export const sizeUnits: readonly SizeUnit[] = ['MiB', 'GiB', 'TiB'];

/** Uses the largest unit that keeps the number at 1 or more. The amount is exact. */
export function splitSize(bytes: number): { amount: string; unit: SizeUnit } {
  const unit = bytes >= powers.TiB ? 'TiB' : bytes >= powers.GiB ? 'GiB' : 'MiB';
  return { amount: String(bytes / powers[unit]), unit };
}

export function joinSize(amount: string, unit: SizeUnit): number {
  return Math.round(Number(amount) * powers[unit]);
}

export function formatSize(bytes: number): string {
  const { amount, unit } = splitSize(bytes);
  return `${Number(Number(amount).toFixed(2))} ${unit}`;
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
