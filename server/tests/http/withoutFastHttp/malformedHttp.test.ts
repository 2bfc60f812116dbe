/** What is said of bytes that are not HTTP holds where Node.js's server reads every request. */
import './fastHttpOff.ts';
import '../malformedHttp.test.ts';
