// Loaded before a program that is measured: counts what a request costs, which a slow machine does not change. The parent asks
// through the IPC channel for what was counted since it asked last; a program without a channel prints it on file descriptor 3.
'use strict'

const counts = { statements: 0, transactions: 0, promises: 0, fsyncs: 0 }
const databases = []
let rows = 0

const fs = require('node:fs')
for (const name of ['fsyncSync', 'fdatasyncSync', 'fsync', 'fdatasync']) {
  const original = fs[name]
  fs[name] = (...values) => {
    counts.fsyncs++
    return original(...values)
  }
}

function countSql() {
  const sqlite = require('node:sqlite')
  const { DatabaseSync, StatementSync } = sqlite
  const begun = (text) => {
    if (/^\s*BEGIN\b/i.test(text)) counts.transactions++
    else if (!/^\s*(COMMIT|END|ROLLBACK|SAVEPOINT|RELEASE)\b/i.test(text)) counts.statements++
  }
  for (const name of ['run', 'get', 'all', 'iterate']) {
    const original = StatementSync.prototype[name]
    StatementSync.prototype[name] = function (...values) {
      begun(this.sourceSQL)
      return original.apply(this, values)
    }
  }
  const exec = DatabaseSync.prototype.exec
  DatabaseSync.prototype.exec = function (text) {
    if (!databases.includes(this)) databases.push(this)
    begun(text)
    return exec.call(this, text)
  }
  return StatementSync
}

const takenAll = () => {
  const before = { ...counts }
  // With those that triggers write.
  const total = databases.reduce((sum, one) => {
    try {
      return sum + one.prepare('SELECT total_changes() AS n').get().n
    } catch {
      return sum // It is closed.
    }
  }, 0)
  const taken = { ...before, rows: total - rows }
  rows = total
  for (const name of Object.keys(counts)) counts[name] = 0
  return taken
}

if (process.channel === undefined || process.channel === null) {
  process.on('exit', () => {
    const builtIn = process.moduleLoadList.filter((name) => name.startsWith('NativeModule ')).length
    const own = Object.keys(require.cache).filter((file) => file !== __filename).length
    fs.writeSync(3, JSON.stringify({ builtIn, own, fsyncs: counts.fsyncs }))
  })
} else {
  countSql()
  require('node:async_hooks')
    .createHook({ init: (_, type) => void (type === 'PROMISE' && counts.promises++) })
    .enable()
  process.on('message', () => process.send(takenAll()))
  // Alone it would keep the program alive.
  process.channel.unref()
}
