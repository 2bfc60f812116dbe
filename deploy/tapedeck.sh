#!/bin/sh
# The command of the image: becomes the service, or one command of it, with the memory that scripts/tapedeck.sh gives it.
exec node --max-semi-space-size=10 --initial-old-space-size=192 /service/node_modules/tapedeck/server/dist/cli.js "$@"
