/** Tests series on one engine. */
import './series.ts';
