/** The intervals by which Home counts the entries of today and yesterday. */

export const sliceMinutes = 5;
export const slicesHours = 48; // covers all of yesterday
