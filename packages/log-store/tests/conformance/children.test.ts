/** Children, on one engine. */
import './children.ts';
