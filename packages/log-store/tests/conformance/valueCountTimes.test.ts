/** Tests counts of values within a time on one engine. */
import './valueCountTimes.ts';
