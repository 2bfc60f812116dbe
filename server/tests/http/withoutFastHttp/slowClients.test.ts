/** What is said of clients that pause holds where Node.js's server reads every request. */
import './fastHttpOff.ts';
import '../slowClients.test.ts';
