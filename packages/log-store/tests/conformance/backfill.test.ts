/** Backfills entries of earlier versions on one engine. */
import './backfill.ts';
