/** Recognizes file system errors by their codes. */

export function hasCode(error: unknown, codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.some(code => code === error.code);
}

/** True if the disk or a quota is full. */
export function isDiskFull(error: unknown): boolean {
  return hasCode(error, ['ENOSPC', 'EDQUOT']);
}
