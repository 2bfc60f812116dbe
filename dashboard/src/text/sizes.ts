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
