/** Tests copies from one engine into another. */
import './copies.ts';
