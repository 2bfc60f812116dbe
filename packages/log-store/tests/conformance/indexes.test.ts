/** Tests on one engine that queries with an index read few entries. */
import './indexes.ts';
