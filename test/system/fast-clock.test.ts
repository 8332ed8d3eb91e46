import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildFastClock, canBuild, type FastClock } from './fast-clock.ts'

const FACTOR = 20
const MINUTE = 60_000

/** This Node, and the one that runs the built client: HOLDFAST_TEST_NODE, else the one of the system. */
const OTHER = process.env['HOLDFAST_TEST_NODE'] ?? '/usr/bin/node'
const NODES = [...new Set([process.execPath, OTHER])].filter((node) => existsSync(node))

/** Says when it begins; then by how much each clock has advanced over a timer of a minute, in milliseconds. */
const PROGRAM = `
  const os = require('node:os')
  const read = () => [Date.now(), performance.now(), os.uptime() * 1000]
  read()
  const before = read()
  console.log('begun')
  setTimeout(() => {
    const after = read()
    console.log(JSON.stringify(after.map((at, n) => at - before[n])))
  }, ${MINUTE})`

async function measure(node: string, clock: FastClock): Promise<{ real: number; clocks: readonly number[] }> {
  const child = spawn(node, ['-e', PROGRAM], {
    env: { PATH: process.env['PATH'], ...clock.environment(FACTOR) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let begun = 0
  for await (const line of createInterface({ input: child.stdout })) {
    if (line === 'begun') begun = performance.now()
    else return { real: performance.now() - begun, clocks: JSON.parse(line) as readonly number[] }
  }
  throw new Error(`${node} ended early`)
}

describe.skipIf(!canBuild())(`a clock that is ${FACTOR} times as fast`, () => {
  let clock: FastClock
  beforeAll(() => void (clock = buildFastClock()))
  afterAll(() => clock.remove())

  // A machine that is busy at the wrong moment is late by more than the 2 %.
  it.each(NODES)('%s: a timer of a minute and three clocks agree', { retry: 2 }, async (node) => {
    const { real, clocks } = await measure(node, clock)

    for (const span of [real * FACTOR, ...clocks]) {
      expect(span / MINUTE).toBeGreaterThan(0.98)
      expect(span / MINUTE).toBeLessThan(1.02)
    }
  })
})
