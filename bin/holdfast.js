#!/usr/bin/env node
// Syntax of 2009 on purpose: this file must be read by the Node that is too old, to say so.
'use strict'

var path = require('path')
var LEAST = [20, 19]
var EXIT_CONFIGURATION = 78

var found = process.versions.node.split('.').map(Number)
var isTooOld = found[0] < LEAST[0] || (found[0] === LEAST[0] && found[1] < LEAST[1])
var entry = path.join(__dirname, '..', 'dist', 'holdfast.cjs')

function refuse(says) {
  process.stderr.write('holdfast: ' + says + '\n')
  process.exitCode = EXIT_CONFIGURATION
}

if (isTooOld) {
  refuse(
    'needs Node ' + LEAST.join('.') + ' or newer; ' + process.execPath + ' is Node ' + process.versions.node,
  )
} else if (!require('fs').existsSync(entry)) {
  refuse('is not built yet in this checkout; run: npm run build')
} else {
  require(entry).start(process.argv.slice(2))
}
