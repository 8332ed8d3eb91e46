import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildFastClock, canBuild, type FastClock } from './fast-clock.ts'

const FACTOR = 20
const MINUTE = 60_000

/** This Node, and the one that runs the built client: HOLDFAST_TEST_NODE, else the one of the system. */
const OTHER = process.env['HOLDFAST_TEST_NODE'] ?? '/usr/bin/node'
const NODES = [...new Set([process.execPath, OTHER])].filter((node) => existsSync(node))

/**
 * By how much each clock has advanced over a timer of a minute, in milliseconds; the last one is that of the kernel, which
 * stamps files, as fast as the others should be. They are read at the same moments, so a busy machine is late for all.
 */
const PROGRAM = `
  const fs = require('node:fs')
  const os = require('node:os')
  const file = process.argv[1]
  const stamp = () => (fs.writeFileSync(file, ''), fs.statSync(file).mtimeMs)
  const read = () => [Date.now(), performance.now(), os.uptime() * 1000, stamp() * ${FACTOR}]
  read()
  const before = read()
  setTimeout(() => {
    const after = read()
    console.log(JSON.stringify(after.map((at, n) => at - before[n])))
  }, ${MINUTE})`

async function measure(node: string, clock: FastClock): Promise<readonly number[]> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-clock-'))
  const child = spawn(node, ['-e', PROGRAM, join(folder, 'stamp')], {
    env: { PATH: process.env['PATH'], ...clock.environment(FACTOR) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    for await (const line of createInterface({ input: child.stdout }))
      return JSON.parse(line) as readonly number[]
  } finally {
    rmSync(folder, { recursive: true })
  }
  throw new Error(`${node} ended early`)
}

describe.skipIf(!canBuild())(`a clock that is ${FACTOR} times as fast`, () => {
  let clock: FastClock
  beforeAll(() => void (clock = buildFastClock()))
  afterAll(() => clock.remove())

  // A process that is interrupted between two readings for more than 60 ms is beyond the 2 %.
  it.each(NODES)('%s: a timer of a minute and four clocks agree', { retry: 2 }, async (node) => {
    const spans = await measure(node, clock)
    const [least, most] = [Math.min(...spans), Math.max(...spans)]

    expect(spans).toHaveLength(4)
    expect(most / least, String(spans)).toBeLessThan(1.02)
    // A timer is late on a busy machine, and never early; one that is not as fast would be twenty times as late.
    expect(least / MINUTE).toBeGreaterThan(0.98)
    expect(most / MINUTE).toBeLessThan(2)
  })
})
