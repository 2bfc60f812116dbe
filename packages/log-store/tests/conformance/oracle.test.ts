/** Runs random queries on one engine. */
import './oracle.ts';
