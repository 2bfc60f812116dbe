/** What is said of a backup that is not what was saved. */
import { ServiceError } from '../../vocabulary.ts';
import { isUnchanged } from '../disk/checksums.ts';

export async function requireUnchanged(file: string): Promise<void> {
  if (!(await isUnchanged(file))) throw describeDamage(`${file} is not what was saved there.`);
}

export function describeDamage(finding: string): ServiceError {
  return new ServiceError('unavailable', `The backup is damaged: ${finding}`);
}
