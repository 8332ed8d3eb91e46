#!/usr/bin/env node
// ES5 syntax: a Node that is too old must be able to parse this file and report the version.
'use strict'

var path = require('path')
var MIN_VERSION = [20, 19]
var EXIT_CONFIGURATION = 78

var version = process.versions.node.split('.').map(Number)
var isTooOld = version[0] < MIN_VERSION[0] || (version[0] === MIN_VERSION[0] && version[1] < MIN_VERSION[1])
var entry = path.join(__dirname, '..', 'dist', 'holdfast.cjs')

function refuse(message) {
  process.stderr.write('holdfast: ' + message + '\n')
  process.exitCode = EXIT_CONFIGURATION
}

if (isTooOld) {
  refuse(
    'needs Node ' +
      MIN_VERSION.join('.') +
      ' or newer; ' +
      process.execPath +
      ' is Node ' +
      process.versions.node,
  )
} else if (!require('fs').existsSync(entry)) {
  refuse('this checkout is not built; run: npm run build')
} else {
  // Its default ends a process: a daemon that still loads has no other handler.
  if (process.argv.indexOf('serve') > 1 || process.argv.indexOf('run') > 1)
    process.on('SIGHUP', function () {})
  require(entry).start(process.argv.slice(2))
}
