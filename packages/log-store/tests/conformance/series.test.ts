/** Series, on one engine. */
import './series.ts';
