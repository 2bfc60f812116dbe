/** Few entries are read where an index leads, on one engine. */
import './indexes.ts';
