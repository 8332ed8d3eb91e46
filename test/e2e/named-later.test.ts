import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { holdfast, scratch } from './processes.ts'
import { answering } from './servers.ts'

it('an account that gets a name when a second one is added keeps its stop', async () => {
  const folder = scratch()
  let requests = 0
  const url = await answering(() => {
    requests++
    return { status: 401, body: '{"errors":[{"code":1000,"message":"no"}]}' }
  })
  const file = join(folder, 'h.toml')
  const top = `state_dir = "${folder}"\nruntime_dir = "${folder}"\nmyip = ["192.0.2.1"]\nipv6 = false\n`
  const account = (name: string, hostname: string, password = 'token-1'): string =>
    `[[account]]\n${name}provider = "cloudflare"\nserver = "${url.replace(/\/$/, '')}"\npassword = "${password}"\nzone = "example.com"\nhostnames = ["${hostname}"]\n`
  const update = async (...accounts: readonly string[]) => {
    writeFileSync(file, top + accounts.join(''), { mode: 0o600 })
    return (await holdfast(['update', '--config', file], {})).code
  }
  expect(await update(account('', 'a.example.com'))).toBe(77)
  expect(requests).toBe(1)
  const [first, second] = [
    account('name = "one"\n', 'a.example.com'),
    account('name = "two"\n', 'b.example.com', 'token-2'),
  ]
  expect(await update(first)).toBe(77)
  expect(requests).toBe(1)
  // The second one is another login.
  expect(await update(first, second)).toBe(77)
  expect(requests).toBe(2)
  // Another token ends the stop of the first.
  expect(await update(account('name = "one"\n', 'a.example.com', 'token-3'), second)).toBe(77)
  expect(requests).toBe(3)
})
