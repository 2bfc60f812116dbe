/** Copies from one engine into one other. */
import './copies.ts';
