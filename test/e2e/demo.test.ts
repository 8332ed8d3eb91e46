import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ROOT } from './processes.ts'

it('the demo prints requests and replies and ends with 0 within 20 seconds', () => {
  const start = performance.now()

  const { status, stdout, stderr } = spawnSync(process.execPath, [join(ROOT, 'test/demo/demo.ts')], {
    encoding: 'utf8',
  })

  expect([status, stderr]).toEqual([0, ''])
  expect(performance.now() - start).toBeLessThan(20_000)
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
