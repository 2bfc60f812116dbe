/** Runs random queries for patterns on one engine. */
import './patterns.ts';
