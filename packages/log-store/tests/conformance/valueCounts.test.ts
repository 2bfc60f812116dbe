/** Tests counts of values on one engine. */
import './valueCounts.ts';
