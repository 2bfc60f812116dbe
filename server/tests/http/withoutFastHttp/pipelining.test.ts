/** What is said of pipelines holds where Node.js's server reads every request, also behind one with `Upgrade`. */
import './fastHttpOff.ts';
import '../pipelining.test.ts';
