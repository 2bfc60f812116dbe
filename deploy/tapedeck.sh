#!/bin/sh
# The command of the image: runs the service or one of its commands, with the memory settings of scripts/tapedeck.sh.
exec node --max-semi-space-size=10 --initial-old-space-size=192 /service/node_modules/tapedeck/server/dist/cli.js "$@"
