/** Describes damage found in a backup. */

import { ServiceError } from '@tapedeck/domain/vocabulary';
import { isUnchanged } from '@tapedeck/durable-files';

export async function requireUnchanged(file: string): Promise<void> {
  if (!(await isUnchanged(file))) throw describeDamage(`${file} differs from what was saved.`);
}

export function describeDamage(finding: string): ServiceError {
  return new ServiceError('unavailable', `The backup is damaged: ${finding}`);
}
