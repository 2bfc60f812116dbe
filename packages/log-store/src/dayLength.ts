/** How long a day of UTC is, in the units that times are kept in. */
export const dayMs = 86_400_000;
export const dayMicros = dayMs * 1000;
