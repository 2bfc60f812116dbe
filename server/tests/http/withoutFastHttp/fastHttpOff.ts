/** Turns fast HTTP off for tests that run a second time: they import this file first. */
process.env.TAPEDECK_FAST_HTTP = 'false';
