/** Runs the tests of metrics by project with fast HTTP turned off. */
import './fastHttpOff.ts';
import '../projectMetrics.test.ts';
