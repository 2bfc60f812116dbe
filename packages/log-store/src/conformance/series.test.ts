/** Series and children, on one engine. */
import './series.ts';
