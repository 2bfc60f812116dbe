/** Reports what became of a write: whether a row was deleted, and whether its name was taken. */

import { ServiceError } from '@tapedeck/domain/vocabulary';
import { ConstraintViolation } from '@tapedeck/metadata-database';
import type { DeleteResult } from 'kysely';

/** Deletes the row. Returns false if there was none. */
export async function deleteRow(removal: { executeTakeFirst(): Promise<DeleteResult> }): Promise<boolean> {
  return (await removal.executeTakeFirst()).numDeletedRows > 0n;
}

/** Translates the conflict if the project already has one with this name. */
export async function refusingDuplicates(what: string, write: () => Promise<unknown>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!(error instanceof ConstraintViolation && error.kind === 'unique')) throw error;
    const sentence = `A ${what} with this name already exists. Choose another.`;
    throw new ServiceError('name_taken', sentence, { field: 'name', cause: error });
  }
}
