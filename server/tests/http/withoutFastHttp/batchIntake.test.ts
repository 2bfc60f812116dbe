/** What is said of log entries that come by the short ways holds where Node.js's server reads every request. */
import './fastHttpOff.ts';
import '../../logs/batchIntake.test.ts';
