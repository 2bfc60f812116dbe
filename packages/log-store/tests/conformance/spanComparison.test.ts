/** Tests the comparison of two time spans on one engine. */
import './spanComparison.ts';
