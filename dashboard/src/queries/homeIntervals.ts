/** How finely Home counts the entries of today and yesterday. */

/** Minutes of each count. */
export const sliceMinutes = 5;
export const slicesHours = 48; // all of yesterday
