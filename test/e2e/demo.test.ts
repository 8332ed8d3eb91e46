import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { shortTimers } from '../lab/short-timers.ts'
import { ROOT } from './processes.ts'

it('the demo prints requests and replies and ends with 0, after less than 20 seconds of timers', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(ROOT, 'test/demo/demo.ts')], {
    encoding: 'utf8',
    // The one that ends a demo that takes too long would judge a busy machine.
    env: { ...process.env, ...shortTimers(15_000) },
  })

  expect([status, stderr]).toEqual([0, ''])
  expect(stdout.match(/^ {3}→ {2}GET \/nic\/update\?hostname=home\.example\.test&myip=\S+$/gm)).toHaveLength(
    3,
  )
  expect(stdout.match(/^ {3}← {2}good \S+$/gm)).toEqual([
    '   ←  good 203.0.113.7',
    '   ←  good 198.51.100.20',
    '   ←  good 198.51.100.21',
  ])
  expect(stdout.match(/resolves to \S+$/gm)).toEqual([
    'resolves to nothing.',
    'resolves to 203.0.113.7',
    'resolves to 198.51.100.21',
  ])
})
