/** Tests counts by moments and first patterns on one engine. */
import './tallies.ts';
