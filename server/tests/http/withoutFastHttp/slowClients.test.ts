/** Runs the tests of clients that pause with fast HTTP turned off. */
import './fastHttpOff.ts';
import '../slowClients.test.ts';
