/** Numbers of bytes, as people write and read them. */

const powers = { MB: 1e6, GB: 1e9, TB: 1e12 } as const;
export type SizeUnit = keyof typeof powers;
export const sizeUnits: readonly SizeUnit[] = ['MB', 'GB', 'TB'];

/** The largest unit in which the number stays 1 or more, so that it reads short and loses nothing. */
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
  // More of a file than its limit is never written as the limit.
  return `${Math.ceil((bytes / 1024 ** step) * 100) / 100} ${binarySteps[step]}`;
}
