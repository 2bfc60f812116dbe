/** What earlier versions stored, on one engine. */
import './backfill.ts';
