/** Counting values within a time, on one engine. */
import './conformance/valueCountTimes.ts';
