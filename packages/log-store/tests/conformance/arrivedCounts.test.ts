/** Tests counts of arrivals on one engine. */
import './arrivedCounts.ts';
