/** Tests counts by level and resource on one engine. */
import './keptSlots.ts';
