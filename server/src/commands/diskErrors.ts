/** Turns file system errors into sentences: a full disk, a missing permission, a disk that is gone. */

import { ServiceError } from '@tapedeck/domain/vocabulary';
import { hasCode, isDiskFull } from '@tapedeck/durable-files';

/** `where`: the path being written. `again`: says what a failure leaves behind. */
type Place = { where: string; again: string };

export async function explainRefusals<T>(place: Place, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw explainRefusal(error, place);
  }
}

/** Returns every other error unchanged. */
function explainRefusal(error: unknown, { where, again }: Place): unknown {
  const cause = { cause: error };
  if (isDiskFull(error))
    return new ServiceError('disk_full', `The disk of ${where} is full: make room. ${again}`, cause);
  if (!(error instanceof Error && 'syscall' in error && 'code' in error)) return error;
  const place = 'path' in error && typeof error.path === 'string' ? error.path : where;
  if (hasCode(error, ['EACCES', 'EPERM', 'EROFS'])) {
    const sentence = `${place} cannot be read or written: permission is missing (${error.code}). Run the command as the user of the service, and let that user write to ${where}.`;
    return new ServiceError('unavailable', sentence, cause);
  }
  if (hasCode(error, ['ENOENT', 'ENOTDIR', 'ESTALE', 'ENXIO', 'ENODEV'])) {
    const sentence = `${place} is missing: check that its disk is mounted. ${again}`;
    return new ServiceError('unavailable', sentence, cause);
  }
  const sentence = `${place} cannot be read or written (${error.code}): check its disk. ${again}`;
  return new ServiceError('unavailable', sentence, cause);
}
