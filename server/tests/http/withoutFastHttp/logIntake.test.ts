/** What is said of log entries holds where Node.js's server reads every request. */
import './fastHttpOff.ts';
import '../../logs/logIntake.test.ts';
