/** Tests kept counts on one engine. */
import './keptCounts.ts';
