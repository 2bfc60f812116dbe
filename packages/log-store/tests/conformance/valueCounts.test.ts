/** Counting values, on one engine. */
import './valueCounts.ts';
