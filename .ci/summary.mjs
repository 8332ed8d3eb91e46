// summary.mjs FOLDER EXPECTED [BROKEN STEP]...   sums up the reports of vitest in a folder
import { readdirSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'

const [folder, expected, ...broken] = process.argv.slice(2)
const reports = readdirSync(folder).flatMap((name) => {
  try {
    const report = JSON.parse(readFileSync(`${folder}/${name}`, 'utf8'))
    return report.numPassedTests > 0 || report.numFailedTests > 0 ? [report] : []
  } catch {
    return []
  }
})
const total = (key) => reports.reduce((sum, report) => sum + report[key], 0)
const files = reports.flatMap((report) => report.testResults)
const sum = {
  passed: total('numPassedTests'),
  failed: total('numFailedTests'),
  skipped: total('numPendingTests') + total('numTodoTests'),
}

console.log('\n== the ten slowest test files, in seconds')
const seconds = ({ startTime, endTime }) => (endTime - startTime) / 1000
for (const file of files.toSorted((a, b) => seconds(b) - seconds(a)).slice(0, 10))
  console.log(`${seconds(file).toFixed(1).padStart(6)} ${relative(process.cwd(), file.name)}`)

/** What the steps said about a file that failed as a whole. */
function said(name) {
  const logs = readdirSync(`${folder}/..`, { withFileTypes: true }).filter((one) => one.isFile())
  const lines = logs.flatMap(({ name: log }) => readFileSync(`${folder}/../${log}`, 'utf8').split('\n'))
  const at = lines.findIndex((line) => line.includes(' FAIL ') && line.includes(relative(process.cwd(), name)))
  return at === -1 ? '' : lines.slice(at, at + 15).join('\n')
}
const shown = (text) => String(text).slice(0, 2000)
for (const { name, status, message, assertionResults } of files) {
  const failed = assertionResults.filter((test) => test.status === 'failed')
  for (const test of failed)
    console.log(`!! ${name}\n   ${test.fullName}\n   ${shown(test.failureMessages.join('\n'))}`)
  // The report has no reason where a beforeAll or afterAll of a describe failed.
  if (status === 'failed' && failed.length === 0) console.log(`!! ${name}\n   ${shown(message || said(name))}`)
}
if (reports.length !== Number(expected)) {
  console.log(`!! ${reports.length} of ${expected} reports of vitest are there, and count a test`)
  sum.failed += 1
}
if (broken.length > 0) console.log(`!! steps that failed: ${broken.join(', ')}`)
if (sum.failed === 0) sum.failed = broken.length
if (sum.passed + sum.failed === 0) sum.failed = 1
console.log(`\n${sum.passed} passed, ${sum.failed} failed, ${sum.skipped} skipped`)
process.exitCode = sum.failed === 0 ? 0 : 1
