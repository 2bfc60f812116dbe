/** Pages, cursors, look-ups, neighbours and datasets, on one engine. */
import './conformance/queries.ts';
