/** Counts of what arrived, on one engine. */
import './arrivedCounts.ts';
