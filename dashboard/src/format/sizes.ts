/** Formats and splits numbers of bytes. */

const powers = { MB: 1e6, GB: 1e9, TB: 1e12 } as const;
export type SizeUnit = keyof typeof powers;
export const sizeUnits: readonly SizeUnit[] = ['MB', 'GB', 'TB'];

/** Uses the largest unit that keeps the number at 1 or more, so that it stays short and exact. */
export function splitSize(bytes: number): { amount: string; unit: SizeUnit } {
  const unit = bytes >= powers.TB ? 'TB' : bytes >= powers.GB ? 'GB' : 'MB';
  return { amount: String(bytes / powers[unit]), unit };
}

export function joinSize(amount: string, unit: SizeUnit): number {
  return Math.round(Number(amount) * powers[unit]);
}

export function formatSize(bytes: number): string {
  const { amount, unit } = splitSize(bytes);
  return `${Number(Number(amount).toFixed(2))} ${unit}`;
}

const steps = ['B', 'KB', 'MB', 'GB', 'TB'] as const;

/** Formats file sizes, small ones too: `812 B`, `1.4 MB`. */
export function formatBytes(bytes: number): string {
  const step = Math.min(steps.length - 1, Math.floor(Math.log10(Math.max(bytes, 1)) / 3));
  return `${Number((bytes / 1000 ** step).toPrecision(3))} ${steps[step]}`;
}

const binarySteps = ['bytes', 'KiB', 'MiB', 'GiB'] as const;

/** Formats limits, which are set in binary units, and sizes compared with them: `32 MiB`, `33.1 MiB`. */
export function formatBinary(bytes: number): string {
  const step = Math.min(binarySteps.length - 1, Math.floor(Math.log2(Math.max(bytes, 1)) / 10));
  // Rounds up, so that a size over its limit never reads like the limit.
  return `${Math.ceil((bytes / 1024 ** step) * 100) / 100} ${binarySteps[step]}`;
}
