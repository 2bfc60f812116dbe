/** Reserves disk space for work that must continue when the disk is full. The sweeper refills it later. */
import { Failure } from '@tapedeck/values/failure';
import type { DiskReserve } from '../ports/blobs.ts';

/** Runs the work. If the disk is full, releases a piece of the reserve and tries again, until the reserve is used up. */
export async function workFromReserve<T>(
  reserve: Pick<DiskReserve, 'release'>,
  work: () => Promise<T>,
): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const isFull = error instanceof Failure && error.code === 'disk_full';
      if (!isFull || !(await reserve.release())) throw error;
    }
  }
}
