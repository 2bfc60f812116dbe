/** Kept counts, on one engine. */
import './keptCounts.ts';
