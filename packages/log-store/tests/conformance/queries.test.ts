/** Tests pages, cursors, look-ups, neighbours and datasets on one engine. */
import './queries.ts';
