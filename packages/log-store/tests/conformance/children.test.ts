/** Tests children of entries on one engine. */
import './children.ts';
