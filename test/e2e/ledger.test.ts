import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { eventually } from '../eventually.ts'
import { startLedger } from './ledger.ts'

it('a ledger tells a change that was acknowledged and is not stored', async () => {
  const last = new Map<string, string>()
  const server = createServer(({ url = '' }, response) => {
    const { searchParams } = new URL(url, 'http://x')
    const [hostname, myip] = [searchParams.get('hostname') ?? '', searchParams.get('myip') ?? '']
    last.set(hostname, myip)
    response.end(`good ${myip}\n`)
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await eventually(() => server.listening).toBe(true)
  const urls = [`http://127.0.0.1:${(server.address() as AddressInfo).port}`]
  const ledger = startLedger({ urls, hostnames: ['a.test', 'b.test'], credentials: 'u:p', block: 0 })
  await eventually(() => ledger.count()).toBeGreaterThan(20)
  await ledger.stop()

  expect(ledger.lost(last)).toEqual([])
  expect(ledger.lost(new Map())).toHaveLength(2)
  expect(ledger.lost(new Map([...last, ['b.test', '11.1.0.0']]))).toEqual([
    expect.stringMatching(/^b\.test: 11\.1\.0\.0, and /),
  ])
})
