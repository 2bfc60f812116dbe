/** What is said of a stop holds where Node.js's server reads every request. */
import './fastHttpOff.ts';
import '../../operations/gracefulStop.test.ts';
