/** What is counted of projects is counted where Node.js's server reads every request. */
import './fastHttpOff.ts';
import '../projectMetrics.test.ts';
