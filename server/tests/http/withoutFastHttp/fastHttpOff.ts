/** For tests that are run a second time, without fast HTTP: to be imported before them. */
process.env.TAPEDECK_FAST_HTTP = 'false';
