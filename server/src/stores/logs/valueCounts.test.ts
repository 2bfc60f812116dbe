/** Counting values, on one engine. */
import './conformance/valueCounts.ts';
